//! User bounds: of each user's rows, at most so many groups and so many rows in each, chosen by hashes of content.
//!
//! What is kept of a user is a function of that user's own rows as a multiset, and of nothing else: not of the order of rows, of other
//! users, or of how the table was cut into pieces. So a user more or less in the table is at most `groups · rows` rows more or less in
//! what is kept, all on one side. The salt is a constant: it must not depend on the data, and need not be secret.
//!
//! Rows wait as a few bytes each, in parts: all rows of a user are in one part, by a hash of the user's name. A part is sorted when all
//! rows were seen, or when it has grown; then rows that cannot be among those that are kept are left out. Nothing is hashed of users
//! that stay within the bounds.

use std::io::Write;
use std::mem::take;
use std::sync::{Mutex, MutexGuard};

use crate::hash;

/// How many parts there are.
const PARTS: usize = 256;
/// Bytes that a worker keeps of a part before it passes them on.
const WAITING: usize = 1 << 12;
/// A part is thinned out when it has so many bytes more than twice what was left the last time.
const GROWTH: usize = 1 << 20;

/// What stands before everything that is hashed. Engines hash the same text: this, the user, `|`, and the fields of the row, each with a
/// comma behind it, or the number of the group.
pub(super) fn salted(table: &str, kind: &str) -> String {
    format!("probity user bounds 2 {table} {kind} ")
}

/// The rows of all users, shared by the workers of a pass.
#[derive(Debug)]
pub struct Users {
    groups: usize,
    rows: usize,
    of_rows: String,
    of_groups: String,
    /// How many numbers a row has.
    fields: usize,
    growth: usize,
    parts: Vec<Mutex<Part>>,
}

/// Rows of some users: of each its user, its group and its fields.
#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    /// How many bytes were left when it was last thinned out.
    left: usize,
}

/// Rows that one worker has not passed on yet.
#[derive(Debug)]
pub struct Waiting(Vec<Vec<u8>>);

/// What choosing rows needs from user to user.
#[derive(Default)]
struct Space {
    /// Where each row of a part starts, by the hash of its user.
    order: Vec<(u64, usize)>,
    /// The rows of a user: the group, and where the row starts.
    own: Vec<(u64, usize)>,
    /// The groups of a user, by their hashes.
    groups: Vec<(u128, u64)>,
    /// The rows of a group, by their hashes, then by their content.
    rows: Vec<(u128, Vec<i64>, usize)>,
    text: Vec<u8>,
}

/// Parts rows by user. That two users share it costs time only: names are compared.
fn spread(user: &[u8]) -> u64 {
    let mut mixed = user.len() as u64;
    for chunk in user.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mixed = (mixed ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 32;
    }
    mixed.wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// A number in as few bytes as it needs, seven bits in each, the last one without its highest bit.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number that stands at a place, which moves on behind it.
fn get(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// Numbers near 0 are short, whatever their sign.
fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, (number << 1 ^ number >> 63) as u64);
}

fn get_signed(bytes: &[u8], at: &mut usize) -> i64 {
    let number = get(bytes, at);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The user of a row, and the place behind.
fn user_at(bytes: &[u8], mut at: usize) -> (&[u8], usize) {
    let length = get(bytes, &mut at) as usize;
    (&bytes[at..at + length], at + length)
}

/// The first half of the hash of a text and numbers.
fn short(text: &mut Vec<u8>, salt: &str, user: &[u8], numbers: &[i64], ending: &str) -> u128 {
    text.clear();
    text.extend_from_slice(salt.as_bytes());
    text.extend_from_slice(user);
    text.push(b'|');
    for number in numbers {
        // Writing to memory does not fail.
        let _ = write!(text, "{number}{ending}");
    }
    hash::plain(text)[..16].iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Users {
    /// No rows yet, of a table of this name whose rows have so many fields.
    pub fn new(table: &str, groups: u32, rows: u32, fields: usize) -> Users {
        Users {
            groups: groups as usize,
            rows: rows as usize,
            of_rows: salted(table, "row"),
            of_groups: salted(table, "group"),
            fields,
            growth: GROWTH,
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
        }
    }

    /// For one worker.
    pub fn waiting(&self) -> Waiting {
        Waiting(vec![Vec::new(); PARTS])
    }

    /// Takes a row of a user in a group.
    pub fn add(&self, waiting: &mut Waiting, user: &[u8], group: usize, fields: &[i64]) {
        let place = (spread(user) >> 56) as usize % PARTS;
        let bytes = &mut waiting.0[place];
        put(bytes, user.len() as u64);
        bytes.extend_from_slice(user);
        put(bytes, group as u64);
        fields.iter().for_each(|field| put_signed(bytes, *field));
        if bytes.len() >= WAITING {
            self.pass_on(place, bytes);
        }
    }

    /// Takes what a worker has left.
    pub fn collect(&self, waiting: Waiting) {
        for (place, mut bytes) in waiting.0.into_iter().enumerate() {
            self.pass_on(place, &mut bytes);
        }
    }

    fn pass_on(&self, place: usize, bytes: &mut Vec<u8>) {
        let mut part = lock(&self.parts[place]);
        part.bytes.extend_from_slice(bytes);
        bytes.clear();
        if part.bytes.len() > 2 * part.left + self.growth {
            // What is left out here would be left out in the end: as many that come before it stay.
            let all = take(&mut part.bytes);
            self.choose(&all, &mut Space::default(), |row, _| part.bytes.extend_from_slice(row));
            part.left = part.bytes.len();
        }
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Calls for the fields of every row of a part that is kept, and forgets the part.
    pub fn each(&self, part: usize, mut call: impl FnMut(&[i64])) {
        let bytes = take(&mut lock(&self.parts[part]).bytes);
        let mut fields = vec![0; self.fields];
        self.choose(&bytes, &mut Space::default(), |row, at| {
            let mut at = at;
            fields.iter_mut().for_each(|field| *field = get_signed(row, &mut at));
            call(&fields);
        });
    }

    /// The place behind a row whose fields begin here.
    fn behind(&self, bytes: &[u8], mut at: usize) -> usize {
        for _ in 0..self.fields {
            get(bytes, &mut at);
        }
        at
    }

    /// Calls for every row that is kept, with the place of its fields in it.
    fn choose(&self, bytes: &[u8], space: &mut Space, mut keep: impl FnMut(&[u8], usize)) {
        space.order.clear();
        let mut at = 0;
        while at < bytes.len() {
            let (user, mut behind) = user_at(bytes, at);
            space.order.push((spread(user), at));
            get(bytes, &mut behind);
            at = self.behind(bytes, behind);
        }
        let mut order = take(&mut space.order);
        order.sort_unstable();
        for alike in order.chunk_by_mut(|a, b| a.0 == b.0) {
            let name = |row: &(u64, usize)| user_at(bytes, row.1).0;
            let (first, rest) = (name(&alike[0]), &alike[1..]);
            if rest.iter().any(|row| name(row) != first) {
                alike.sort_unstable_by_key(name);
            }
            for own in alike.chunk_by(|a, b| name(a) == name(b)) {
                self.choose_of(bytes, own, space, &mut keep);
            }
        }
        space.order = order;
    }

    /// The same for the rows of one user.
    fn choose_of(
        &self,
        bytes: &[u8],
        own: &[(u64, usize)],
        space: &mut Space,
        keep: &mut impl FnMut(&[u8], usize),
    ) {
        let Space { own: rows, groups, rows: candidates, text, .. } = space;
        let Some((user, behind)) = own.first().map(|row| user_at(bytes, row.1)) else { return };
        // Behind the name, all rows of a user have the same length up to there.
        let name = behind - own[0].1;
        rows.clear();
        rows.extend(own.iter().map(|(_, start)| (get(bytes, &mut (start + name)), *start)));
        rows.sort_unstable();
        let count = rows.chunk_by(|a, b| a.0 == b.0).count();
        groups.clear();
        if count > self.groups {
            let all = rows.chunk_by(|a, b| a.0 == b.0).map(|group| group[0].0);
            groups.extend(all.map(|group| (short(text, &self.of_groups, user, &[group as i64], ""), group)));
            groups.sort_unstable();
            groups.truncate(self.groups);
        }
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            if count > self.groups && !groups.iter().any(|(_, kept)| *kept == group[0].0) {
                continue;
            }
            let parsed = group.iter().map(|(_, start)| {
                let mut fields = start + name;
                get(bytes, &mut fields);
                (*start, fields)
            });
            if group.len() <= self.rows {
                parsed.for_each(|(start, at)| keep(&bytes[start..self.behind(bytes, at)], at - start));
                continue;
            }
            // Rows with one hash have one content, so it does not matter which of them is kept; the content decides all the same,
            // should two contents ever share a hash.
            candidates.clear();
            candidates.extend(parsed.map(|(start, mut at)| {
                let fields: Vec<i64> = (0..self.fields).map(|_| get_signed(bytes, &mut at)).collect();
                (short(text, &self.of_rows, user, &fields, ","), fields, start)
            }));
            candidates.sort_unstable();
            for (_, _, start) in candidates.iter().take(self.rows) {
                let mut at = start + name;
                get(bytes, &mut at);
                keep(&bytes[*start..self.behind(bytes, at)], at - start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row: its user, its group, its value.
    type Given = (u8, usize, i64);

    /// The name of a user: some are long.
    fn name(user: u8) -> Vec<u8> {
        format!("{}{user}", "long ".repeat(usize::from(user % 3) * 30)).into_bytes()
    }

    /// What is kept, sorted: of rows that several workers add, and with parts that are thinned out all the time or never.
    fn kept_by(rows: &[Given], groups: u32, most: u32, workers: usize, growth: usize) -> Vec<Vec<i64>> {
        let users = Users { growth, ..Users::new("t", groups, most, 2) };
        let mut waiting: Vec<Waiting> = (0..workers).map(|_| users.waiting()).collect();
        for (number, (user, group, value)) in rows.iter().enumerate() {
            let worker = &mut waiting[number % workers];
            users.add(worker, &name(*user), *group, &[*group as i64, *value]);
            if growth == 0 {
                users.collect(std::mem::replace(worker, users.waiting()));
            }
        }
        waiting.into_iter().for_each(|waiting| users.collect(waiting));
        let mut all = Vec::new();
        (0..users.parts()).for_each(|part| users.each(part, |fields| all.push(fields.to_vec())));
        all.sort();
        all
    }

    fn kept(rows: &[Given], groups: u32, most: u32) -> Vec<Vec<i64>> {
        kept_by(rows, groups, most, 1, GROWTH)
    }

    /// The definition: of each user the groups of least hash, in each the rows of least hash.
    fn defined(rows: &[Given], most_groups: usize, most_rows: usize) -> Vec<Vec<i64>> {
        use std::collections::{BTreeMap, BTreeSet};
        let hashed = |kind: &str, user: u8, rest: String| {
            let text =
                format!("probity user bounds 2 t {kind} {}|{rest}", String::from_utf8(name(user)).unwrap());
            hash::to_hex(&hash::plain(text.as_bytes()))
        };
        let mut all = Vec::new();
        for user in rows.iter().map(|row| row.0).collect::<BTreeSet<u8>>() {
            let mut groups: BTreeMap<(String, usize), Vec<(String, i64)>> = BTreeMap::new();
            for (_, group, value) in rows.iter().filter(|row| row.0 == user) {
                let row = (hashed("row", user, format!("{group},{value},")), *value);
                groups.entry((hashed("group", user, group.to_string()), *group)).or_default().push(row);
            }
            for ((_, group), mut rows) in groups.into_iter().take(most_groups) {
                rows.sort();
                all.extend(rows.into_iter().take(most_rows).map(|(_, value)| vec![group as i64, value]));
            }
        }
        all.sort();
        all
    }

    /// A table of rows that a small generator makes.
    fn table(seed: u64, length: usize) -> Vec<Given> {
        let mut state = seed;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..length).map(|_| (next(5) as u8, next(6) as usize, next(4) as i64 - 2)).collect()
    }

    #[test]
    fn what_is_kept_is_what_the_definition_says() {
        for seed in 0..100 {
            for (length, groups, most) in [(40, 2, 3), (40, 1, 1), (12, 3, 100), (200, 4, 2), (200, 9, 9)] {
                let rows = table(seed, length);
                let known = defined(&rows, groups, most);
                for (workers, growth) in [(1, GROWTH), (3, GROWTH), (1, 0), (2, 0), (1, 100)] {
                    let found = kept_by(&rows, groups as u32, most as u32, workers, growth);
                    assert_eq!(found, known, "{seed} {length} {workers} {growth}");
                }
            }
        }
    }

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, -1, 63, 64, -64, -65, 1 << 40, i64::MAX, i64::MIN, -(1 << 62)];
        numbers.iter().for_each(|number| put_signed(&mut bytes, *number));
        let mut at = 0;
        assert_eq!(numbers.map(|_| get_signed(&bytes, &mut at)), numbers);
        assert_eq!(at, bytes.len());
    }

    #[test]
    fn users_that_share_a_hash_are_told_apart() {
        // Names of one hash: found by undoing the steps of `spread` from the second word on.
        let mut step = 0x1234_5678_9abc_def0u64;
        let users: Vec<Vec<u8>> = (0..4u64)
            .map(|number| {
                step = step.wrapping_add(number);
                colliding(step)
            })
            .collect();
        assert!(users.iter().all(|user| spread(user) == spread(&users[0])));
        let bounds = Users::new("t", 1, 1, 1);
        let mut waiting = bounds.waiting();
        for round in 0..3 {
            users.iter().for_each(|user| bounds.add(&mut waiting, user, 0, &[round]));
        }
        bounds.collect(waiting);
        let mut kept = 0;
        (0..bounds.parts()).for_each(|part| bounds.each(part, |_| kept += 1));
        assert_eq!(kept, users.iter().collect::<std::collections::BTreeSet<_>>().len());
        assert!(kept > 1);
    }

    /// A name of two words, the second of which makes up for the first.
    fn colliding(first: u64) -> Vec<u8> {
        let mut mixed = (16 ^ first).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 32;
        [first.to_le_bytes(), (mixed ^ 77).to_le_bytes()].concat()
    }

    #[test]
    fn bounds_hold_for_every_user() {
        for seed in 0..200 {
            for user in 0..5 {
                let own: Vec<Given> = table(seed, 40).into_iter().filter(|row| row.0 == user).collect();
                let kept = kept(&own, 2, 3);
                let mut groups: Vec<i64> = kept.iter().map(|row| row[0]).collect();
                groups.dedup();
                assert!(
                    groups.len() <= 2
                        && groups.iter().all(|g| kept.iter().filter(|row| row[0] == *g).count() <= 3)
                );
            }
        }
    }

    #[test]
    fn what_is_kept_of_a_user_depends_on_that_user_alone() {
        for seed in 0..200 {
            let rows = table(seed, 40);
            let whole = kept(&rows, 2, 3);
            let mut apart: Vec<Vec<i64>> = (0..5)
                .flat_map(|user| {
                    kept(&rows.iter().copied().filter(|row| row.0 == user).collect::<Vec<_>>(), 2, 3)
                })
                .collect();
            apart.sort();
            assert_eq!(whole, apart);
            // Nor on the order of the rows.
            let mut reversed = rows.clone();
            reversed.reverse();
            assert_eq!(whole, kept(&reversed, 2, 3));
        }
    }

    #[test]
    fn without_the_bound_one_user_moves_more() {
        // A user with 30 rows: the bound of 2 · 3 rows holds, and would not without it.
        let rows: Vec<Given> = table(8, 200).into_iter().filter(|row| row.0 == 1).collect();
        assert_eq!(
            (rows.len() > 20, kept(&rows, 2, 3).len(), kept(&rows, 100, 100).len()),
            (true, 6, rows.len())
        );
    }
}
