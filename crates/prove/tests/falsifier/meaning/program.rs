//! An exact linear program: how much of one law can be carried to another.

use probity_exact::Rational;

/// A way from a class of the first law to a class of the second; a unit of the first takes up `weight` of the second.
pub struct Way {
    pub from: usize,
    pub to: usize,
    pub weight: Rational,
}

/// Whether `needed` of the supply can be carried: maximise Σ x over the ways, with Σ x ≤ supply for every class of the first law
/// and Σ weight·x ≤ room for every class of the second. By the simplex method on rationals; it stops as soon as it has
/// enough.
pub fn carries(supply: &[Rational], room: &[Rational], ways: &[Way], needed: &Rational) -> bool {
    if at_once(supply, room, ways) >= *needed {
        return true;
    }
    let rows = supply.len() + room.len();
    let columns = ways.len() + rows;
    let mut table: Vec<Vec<Rational>> = vec![vec![Rational::ZERO; columns + 1]; rows];
    for (n, bound) in supply.iter().chain(room).enumerate() {
        table[n][ways.len() + n] = Rational::ONE;
        table[n][columns] = bound.clone();
    }
    for (j, way) in ways.iter().enumerate() {
        table[way.from][j] = Rational::ONE;
        table[supply.len() + way.to][j] = way.weight.clone();
    }
    // The objective, with what is carried so far at its end.
    let mut gain = vec![Rational::ZERO; columns + 1];
    gain[..ways.len()].fill(Rational::ONE);
    let mut basis: Vec<usize> = (ways.len()..columns).collect();
    loop {
        if -gain[columns].clone() >= *needed {
            return true;
        }
        // Bland's rule: the first column that gains, so that it ends.
        let Some(enter) = (0..columns).find(|j| gain[*j] > Rational::ZERO) else { return false };
        let mut leave: Option<(usize, Rational)> = None;
        for i in 0..rows {
            if table[i][enter] > Rational::ZERO {
                let ratio = &table[i][columns] / &table[i][enter];
                let better = match &leave {
                    None => true,
                    Some((at, least)) => ratio < *least || (ratio == *least && basis[i] < basis[*at]),
                };
                if better {
                    leave = Some((i, ratio));
                }
            }
        }
        // Nothing bounds it: as much as one likes, but the supply does bound every way.
        let Some((pivot, _)) = leave else { return true };
        let factor = table[pivot][enter].clone();
        table[pivot].iter_mut().for_each(|cell| *cell /= &factor);
        let row = table[pivot].clone();
        for (i, other) in table.iter_mut().enumerate() {
            if i != pivot {
                subtract(other, &row, enter);
            }
        }
        subtract(&mut gain, &row, enter);
        basis[pivot] = enter;
    }
}

fn subtract(other: &mut [Rational], row: &[Rational], enter: usize) {
    let factor = other[enter].clone();
    if factor.is_zero() {
        return;
    }
    for (cell, by) in other.iter_mut().zip(row) {
        if !by.is_zero() {
            *cell -= &factor * by;
        }
    }
}

/// What is carried if each way in turn takes all that it can: often it is enough, and it is quickly done.
fn at_once(supply: &[Rational], room: &[Rational], ways: &[Way]) -> Rational {
    let (mut supply, mut room) = (supply.to_vec(), room.to_vec());
    ways.iter().fold(Rational::ZERO, |carried, Way { from, to, weight }| {
        let most = match weight.is_zero() {
            true => supply[*from].clone(),
            false => supply[*from].clone().min(&room[*to] / weight),
        };
        supply[*from] -= &most;
        room[*to] -= &most * weight;
        carried + most
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::r;

    #[test]
    fn mass_goes_where_there_is_room() {
        let way = |from, to, weight| Way { from, to, weight };
        let (half, third) = (r(1, 2), r(1, 3));
        let supply = [half.clone(), half.clone()];
        let room = [third.clone(), r(2, 3)];
        let both = [way(0, 0, r(1, 1)), way(1, 1, r(1, 1))];
        assert!(!carries(&supply, &room, &both, &Rational::ONE));
        assert!(carries(&supply, &room, &both, &r(5, 6)));
        assert!(!carries(&supply, &room, &both, &(r(5, 6) + r(1, 1_000_000_000))));
        // Lighter ways fit, and a third way helps.
        assert!(carries(&supply, &room, &[way(0, 0, r(2, 3)), way(1, 1, r(1, 1))], &Rational::ONE));
        let three = [way(0, 0, r(1, 1)), way(0, 1, r(1, 1)), way(1, 1, r(1, 1))];
        assert!(carries(&supply, &room, &three, &Rational::ONE));
        assert!(!carries(&supply, &room, &[], &r(1, 100)));
        assert!(carries(
            &supply,
            &room,
            &[way(0, 0, Rational::ZERO), way(1, 1, Rational::ZERO)],
            &Rational::ONE
        ));
    }
}
