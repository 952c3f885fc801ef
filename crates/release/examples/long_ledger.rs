//! How long opening, debiting and verifying take with a million entries: `cargo run --release -p probity-release --example long_ledger`.
//!
//! A debit waits for the disk five times, so a page that the disk confirms is timed beside it. On a machine with other work each of these
//! waits is followed by one for a processor. What the kernel says of both (Linux) is told apart: the time on a processor, the time in
//! which it waited for one, and the rest, which is the disk's.

use std::io::Write;
use std::time::{Duration, Instant};

use probity_exact::rational;
use probity_release::ledger::{Debit, Ledger, PATIENCE};
use probity_release::loss::{Loss, Measure};
use probity_release::policy;

/// Time on a processor, and time waiting for one, of this thread so far. Nothing where the system does not say.
fn scheduled() -> [Duration; 2] {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut numbers = said.split_whitespace().map(|number| Duration::from_nanos(number.parse().unwrap_or(0)));
    [(); 2].map(|()| numbers.next().unwrap_or_default())
}

const ENTRIES: usize = 1_000_000;
/// More than one checkpoint's worth.
const TURNS: usize = 200;
const AT_ONCE: usize = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = "[budget]\nepsilon = 1000000\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\ncolumns = { x = { type = \"bool\" } }";
    let policy = policy::read("policy", policy)?;
    let path = std::env::temp_dir().join(format!("long-{}.ledger", std::process::id()));
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE)?;
    let debit = |number: usize| Debit {
        key: format!("{number:064x}"),
        // Denominators that do not divide each other.
        loss: Loss::of_pure(Measure::Epsilon, &rational(1, 3 + (number % 97) as i64).unwrap_or_default()),
        query: format!("SELECT COUNT(*) FROM t WHERE x = {number}"),
        answer: "[[\"12345\"]]".into(),
        certificate: "a certificate".repeat(40),
    };
    let entries: usize = std::env::args().nth(1).map_or(Ok(ENTRIES), |count| count.parse())?;
    let made = Instant::now();
    for part in 0..entries / AT_ONCE {
        let debits: Vec<Debit> = (0..AT_ONCE).map(|number| debit(part * AT_ONCE + number)).collect();
        ledger.debit(&debits, &policy, true)?;
    }
    drop(ledger);
    println!("made: {entries} entries in {:?}, {} MB", made.elapsed(), std::fs::metadata(&path)?.len() >> 20);
    let (mut opening, mut debiting, mut totals, mut stored, mut page) =
        (vec![], vec![], vec![], vec![], vec![]);
    let (mut working, mut queueing, mut disk) = (vec![], vec![], vec![]);
    let beside = path.with_extension("page");
    let mut file = std::fs::File::create(&beside)?;
    for number in 0..TURNS {
        let start = Instant::now();
        let mut ledger = Ledger::open(&path, None, PATIENCE)?;
        opening.push(start.elapsed());
        let start = Instant::now();
        let left = ledger.state().remaining();
        totals.push(start.elapsed());
        assert!(left.is_within(&ledger.state().total));
        let start = Instant::now();
        assert!(ledger.stored(&format!("{:064x}", number * 1000))?.is_some());
        stored.push(start.elapsed());
        let (start, [worked, queued]) = (Instant::now(), scheduled());
        ledger.debit(&[debit(entries + number)], &policy, false)?;
        let (took, [working_now, queued_now]) = (start.elapsed(), scheduled());
        debiting.push(took);
        working.push(working_now - worked);
        queueing.push(queued_now - queued);
        disk.push(took.saturating_sub(working_now - worked + (queued_now - queued)));
        let start = Instant::now();
        file.write_all(&[number as u8; 4096])?;
        file.sync_all()?;
        page.push(start.elapsed());
    }
    std::fs::remove_file(&beside)?;
    for (name, mut times) in [
        ("opening", opening),
        ("totals", totals),
        ("a stored answer", stored),
        ("a debit", debiting),
        ("  of which on a processor", working),
        ("  of which waiting for a processor", queueing),
        ("  of which waiting for the disk", disk),
        ("a page that the disk confirms", page),
    ] {
        times.sort();
        let most: Duration = times[times.len() - 1];
        println!("{name}: median {:?}, most {most:?} of {TURNS}", times[times.len() / 2]);
    }
    let start = Instant::now();
    let verified = Ledger::open(&path, None, PATIENCE)?.verify()?;
    println!("verifying all {verified} entries: {:?}", start.elapsed());
    std::fs::remove_file(&path)?;
    Ok(())
}
