//! Formatting twice is formatting once, and changes nothing but white space: on the library with its white space
//! disturbed, and on random programs.

use crate::common;

use common::{Random, sources};
use probity_lang::{format, load_text, load_text_in};

/// Everything but white space.
fn bones(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn check(text: &str) -> String {
    let formatted = format(text).unwrap_or_else(|f| panic!("{text}\n{f:?}"));
    assert_eq!(format(&formatted).unwrap(), formatted, "not idempotent on:\n{text}");
    assert_eq!(bones(&formatted), bones(text));
    assert!(formatted.lines().all(|line| line == line.trim_end()), "trailing space in:\n{formatted}");
    assert!(!formatted.contains("\n\n\n") && !formatted.starts_with('\n'));
    formatted
}

/// Doubles or drops spaces, indents lines at random and puts in blank lines, where this changes no token.
fn disturb(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    for line in text.lines() {
        out.push_str(&" ".repeat(random.below(9)));
        let (code, comment) = line.find("//").map_or((line, ""), |at| line.split_at(at));
        let mut rest = code.trim().chars().peekable();
        while let Some(c) = rest.next() {
            let is_word = |c: char| c.is_alphanumeric() || "_.'".contains(c);
            let joins = |c: char| is_word(c) || "=<>!~-+*/".contains(c);
            let separates = c == ' ' && out.ends_with(joins) && rest.peek().is_some_and(|next| joins(*next));
            match (c, random.below(3)) {
                (' ', 0) if !separates => {}
                (' ', 1) => out.push_str(" \t  "),
                _ => out.push(c),
            }
        }
        out.push_str(comment);
        out.push_str(if random.below(5) == 0 { "\n \n\n" } else { "\n" });
    }
    out
}

#[test]
fn disturbed_mechanisms_are_restored_and_keep_their_meaning() {
    let mut random = Random(3);
    for (path, text) in [sources("mechanisms"), sources("mechanisms/broken")].concat() {
        let folder = path.parent().unwrap();
        let original = load_text_in(&text, folder).unwrap();
        for _ in 0..20 {
            let disturbed = disturb(&text, &mut random);
            let formatted = check(&disturbed);
            let again = load_text_in(&formatted, folder).unwrap();
            assert_eq!(again.mechanism, original.mechanism, "{}", path.display());
            assert_eq!(again.claim, original.claim);
            assert_eq!(again.hints, original.hints);
            // The blank lines that were put in stay, at most one in a row; all else is restored.
            let lines = |t: &str| t.lines().filter(|l| !l.is_empty()).map(str::to_string).collect::<Vec<_>>();
            assert_eq!(lines(&formatted), lines(&text), "{}", path.display());
        }
    }
}

#[test]
fn random_programs() {
    let mut random = Random(4);
    let mut loaded = 0;
    for _ in 0..3_000 {
        let text = program(&mut random);
        let formatted = check(&text);
        if let Ok(before) = load_text(&text) {
            let after = load_text(&formatted).unwrap();
            assert_eq!((before.mechanism, before.claim), (after.mechanism, after.claim), "{text}");
            loaded += 1;
        }
    }
    assert!(loaded > 1_000, "only {loaded} random programs are well typed");
}

/// A program that is right in its syntax and mostly in its types.
fn program(random: &mut Random) -> String {
    let mut text =
        String::from("mechanism m(x:real,k :int,q: real[ ])  // head\nparam eps>0\nlet grid=2*eps\n");
    text.push_str("a=x\nb =k\nc= true\n");
    block(random, 3, &mut text);
    text.push_str(&format!("return {}\n", number(random, 4)));
    text.push_str(
        "neighbours abs( x'-x )<=1 and k'==k\nneighbours one entry of q differs by at most(eps)\nclaim eps\n",
    );
    text
}

fn block(random: &mut Random, depth: usize, text: &mut String) {
    for _ in 0..=random.below(3) {
        let space = " ".repeat(random.below(4));
        text.push_str(&space);
        match random.below(if depth == 0 { 4 } else { 7 }) {
            0 => text.push_str(&format!("a={}\n", number(random, depth))),
            1 => text.push_str(&format!("a ~laplace({} ,2)//drawn\n", number(random, depth))),
            2 => text.push_str(&format!("c={}\n", formula(random, depth))),
            3 => text.push_str("// a comment of its own\n\n\n"),
            4 => {
                text.push_str(&format!("if {} {{\n\n", formula(random, depth)));
                block(random, depth - 1, text);
                if random.below(2) == 0 {
                    text.push_str("}else{ // otherwise\n");
                    block(random, depth - 1, text);
                }
                text.push_str(&format!("{space}}}\n"));
            }
            5 => {
                text.push_str(&format!("for i{depth} in 0 .. length(q){{\n"));
                block(random, depth - 1, text);
                text.push_str("\n}\n");
            }
            _ => {
                text.push_str(&format!("while {}{{", formula(random, depth)));
                text.push_str("b=b-1}\n");
            }
        }
    }
}

fn number(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random
            .choose(&["x", "k", "a", "b", "eps", "grid", "3", ".5", "1e-3", "-x", "- 2", "q[0]"])
            .to_string();
    }
    let (a, b) = (number(random, depth - 1), number(random, depth - 1));
    match random.below(8) {
        0 => format!("{a}+{b}"),
        1 => format!("{a} -({b})"),
        2 => format!("({a})*{b}"),
        3 => format!("{a}/ eps"),
        4 => format!("min( {a},\n {b} )"),
        5 => format!("(if {} then {a} else {b})", formula(random, depth - 1)),
        6 => format!("-({a})"),
        _ => format!("clamp({a} ,{b},\n // within\n2)"),
    }
}

fn formula(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.choose(&["c", "true", "x<1", "a>=b", "k==2", "0<=x<=1", "not c"]).to_string();
    }
    let (a, b) = (formula(random, depth - 1), formula(random, depth - 1));
    match random.below(4) {
        0 => format!("({a})and({b})"),
        1 => format!("{a} or {b}"),
        2 => format!("not({a})"),
        _ => format!("{}<={}", number(random, depth - 1), number(random, depth - 1)),
    }
}

/// A dot that is no field's stays apart from numbers and other dots: formatted again, the text is the same tokens.
#[test]
fn stray_dots_do_not_become_numbers() {
    let whole = |line: &str| {
        format!("mechanism m(x: real)\n{line}\nreturn x\nneighbours abs(x' - x) <= 1\nclaim 1\n")
    };
    let lines = ["1 . eps", "1 . 5", ". 5", "a . . b", "a . .. b", ". . .", "1 .. 2 . x"];
    for line in lines.map(|value| whole(&format!("y = {value}"))) {
        if let Ok(once) = format(&line) {
            assert_eq!(format(&once).as_ref(), Ok(&once), "{line}");
        }
    }
    assert!(format(&whole("y = 1 . eps")).unwrap().contains("1 .eps"));
    assert!(format(&whole("y = r . age")).unwrap().contains("y = r.age"));
}

/// The measure of a claim is no function, and what follows it no call.
#[test]
fn the_measure_of_a_claim_stays_apart() {
    let text = |claim: &str| {
        format!(
            "mechanism m(x: real)\nparam s > 0\ny ~ gaussian(x, s)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim {claim}\n"
        )
    };
    for claim in ["mu (2 - 1) / s", "rho (1 + 1) / (4 * s * s)"] {
        assert_eq!(format(&text(claim)), Ok(text(claim)));
        assert_eq!(format(&text(&claim.replacen(" (", "(", 1))), Ok(text(claim)));
    }
}
