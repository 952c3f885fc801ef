//! User bounds: of each user's rows, at most so many groups and so many rows in each, chosen by hashes of content.
//!
//! What is kept of a user is a function of that user's own rows as a multiset, and of nothing else: not of the order of rows, of other
//! users, or of how the table was cut into pieces. So a user more or less in the table is at most `groups · rows` rows more or less in
//! what is kept, all on one side. The salt is a constant: it must not depend on the data, and need not be secret.

use std::collections::HashMap;

use crate::hash;

/// A row that may be kept, in the order in which rows are chosen. Rows with one hash have one content, so it does not matter which
/// of them is kept; the content decides all the same, should two contents ever share a hash.
type Candidate = (u128, Box<[i64]>);

#[derive(Debug)]
struct Group {
    /// The order in which groups are chosen: by hash, then by number.
    order: (u128, usize),
    /// The least rows seen, sorted.
    rows: Vec<Candidate>,
}

/// The rows of users that are kept so far.
#[derive(Debug)]
pub struct Users {
    groups: usize,
    rows: usize,
    of_rows: String,
    of_groups: String,
    known: HashMap<Vec<u8>, Vec<Group>>,
}

/// What stands before everything that is hashed. Engines hash the same text: this, the user, `|`, and the fields of the row, each with a
/// comma behind it, or the number of the group.
pub(super) fn salted(table: &str, kind: &str) -> String {
    format!("probity user bounds 2 {table} {kind} ")
}

/// The first half of the hash of a text and numbers.
fn short(salt: &str, user: &[u8], numbers: &[i64], ending: &str) -> u128 {
    use std::io::Write;
    let mut text = Vec::with_capacity(salt.len() + user.len() + 24 * numbers.len());
    text.extend_from_slice(salt.as_bytes());
    text.extend_from_slice(user);
    text.push(b'|');
    for number in numbers {
        // Writing to memory does not fail.
        let _ = write!(text, "{number}{ending}");
    }
    hash::plain(&text)[..16].iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

impl Users {
    /// No rows yet, of a table of this name.
    pub fn new(table: &str, groups: u32, rows: u32) -> Users {
        let (of_rows, of_groups) = (salted(table, "row"), salted(table, "group"));
        Users { groups: groups as usize, rows: rows as usize, of_rows, of_groups, known: HashMap::new() }
    }

    /// Looks at a row of a user in a group.
    pub fn add(&mut self, user: &[u8], group: usize, fields: &[i64]) {
        let row = (short(&self.of_rows, user, fields, ","), Box::from(fields));
        if !self.known.contains_key(user) {
            self.known.insert(user.to_vec(), Vec::new());
        }
        let Some(known) = self.known.get_mut(user) else { return };
        let place = match known.iter().position(|known| known.order.1 == group) {
            Some(place) => place,
            None => {
                let order = (short(&self.of_groups, user, &[group as i64], ""), group);
                match admit(known, order, self.groups) {
                    Some(place) => place,
                    None => return,
                }
            }
        };
        keep(&mut known[place].rows, row, self.rows);
    }

    /// Joins what was kept of two parts of a table.
    pub fn join(&mut self, other: Users) {
        for (user, groups) in other.known {
            let known = self.known.entry(user).or_default();
            for group in groups {
                let place = known.iter().position(|one| one.order == group.order);
                if let Some(place) = place.or_else(|| admit(known, group.order, self.groups)) {
                    group.rows.into_iter().for_each(|row| keep(&mut known[place].rows, row, self.rows));
                }
            }
        }
    }

    /// Calls for every row that is kept.
    pub fn each(self, mut call: impl FnMut(&[i64])) {
        for group in self.known.into_values().flatten() {
            group.rows.iter().for_each(|(_, fields)| call(fields));
        }
    }
}

/// Makes room for a group, if it comes before one of those that are known or there are too few. A group that is turned away or out
/// never comes back: as many that come before it are known.
fn admit(known: &mut Vec<Group>, order: (u128, usize), most: usize) -> Option<usize> {
    if known.len() >= most {
        let (last, group) = known.iter().enumerate().max_by_key(|(_, group)| group.order)?;
        if group.order <= order {
            return None;
        }
        known.swap_remove(last);
    }
    known.push(Group { order, rows: Vec::new() });
    Some(known.len() - 1)
}

/// Keeps the least rows.
fn keep(rows: &mut Vec<Candidate>, row: Candidate, most: usize) {
    let place = rows.partition_point(|known| *known <= row);
    if place < most {
        rows.insert(place, row);
        rows.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row: its user, its group, its value.
    type Given = (u8, usize, i64);

    /// What is kept, sorted.
    fn kept(rows: &[Given], groups: u32, most: u32) -> Vec<Vec<i64>> {
        let mut users = Users::new("t", groups, most);
        rows.iter().for_each(|(user, group, value)| users.add(&[*user], *group, &[*group as i64, *value]));
        let mut all = Vec::new();
        users.each(|fields| all.push(fields.to_vec()));
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
        (0..length).map(|_| (next(5) as u8, next(6) as usize, next(4) as i64)).collect()
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
            // Neither on the order of the rows, nor on how they were cut.
            let mut reversed = rows.clone();
            reversed.reverse();
            assert_eq!(whole, kept(&reversed, 2, 3));
            let (a, b) = rows.split_at(seed as usize % 40);
            let mut parts = [a, b].map(|part| {
                let mut users = Users::new("t", 2, 3);
                part.iter()
                    .for_each(|(user, group, value)| users.add(&[*user], *group, &[*group as i64, *value]));
                users
            });
            let [first, second] = &mut parts;
            first.join(std::mem::replace(second, Users::new("t", 2, 3)));
            let mut joined = Vec::new();
            std::mem::replace(first, Users::new("t", 2, 3)).each(|fields| joined.push(fields.to_vec()));
            joined.sort();
            assert_eq!(whole, joined);
        }
    }

    #[test]
    fn without_the_bound_one_user_moves_more() {
        // A user with 30 rows: the bound of 2 · 3 rows holds, and would not without it.
        let rows: Vec<Given> = table(7, 200).into_iter().filter(|row| row.0 == 1).collect();
        assert!(rows.len() > 20 && kept(&rows, 2, 3).len() == 6 && kept(&rows, 100, 100).len() == rows.len());
    }
}
