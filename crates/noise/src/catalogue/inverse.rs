//! Inverse questions by name: how little noise reaches a budget, and what error to expect.

use probity_account::doubles_around;
use probity_exact::{Natural, Rational, rational_from_f64};

use super::{Arguments, CatalogueError, find};
use crate::accuracy::{
    Level, gaussian_error, gaussian_squared_scale_within, laplace_error, laplace_scale_within,
};
use crate::calibrate::{
    continuous_gaussian_squared_scale_for, gaussian_squared_scale, gaussian_squared_scale_for, laplace_scale,
    least_parameter,
};
use crate::measure::Loss;
use crate::mechanisms::{RandomizedResponse, Scores, renormalised_geometric_map, truncated_geometric_map};
use crate::sampler::{ParameterError, Scale};
use crate::unit::Sensitivity;

/// The parameter that answers an inverse question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its name.
    pub parameter: &'static str,
    /// Its value, where it is known exactly.
    pub exact: Option<Rational>,
    /// The nearest double on the safe side.
    pub double: f64,
}

fn safe_above(parameter: &'static str, exact: Rational) -> Answer {
    Answer { parameter, double: doubles_around(&exact).1, exact: Some(exact) }
}

/// The least parameter that was found, as a double that is at least this also as it is printed.
fn searched_above(parameter: &'static str, double: f64) -> Answer {
    let double = rational_from_f64(double).map_or(double, |exact| doubles_around(&exact).1);
    Answer { parameter, exact: None, double }
}

/// The largest parameter that was found, as a double that is at most this also as it is printed.
fn searched_below(parameter: &'static str, double: f64) -> Answer {
    let double = rational_from_f64(double).map_or(double, |exact| doubles_around(&exact).0);
    Answer { parameter, exact: None, double }
}

/// The least noise with which the mechanism costs at most `target` for inputs `distance_in` apart: the smallest
/// scale or σ², or the largest probability of the truth.
///
/// ```
/// use probity_noise::catalogue::{Arguments, calibrate};
/// use probity_noise::measure::Loss;
/// use probity_noise::unit::{Epsilon, Sensitivity};
/// let target = Loss::Pure(Epsilon::from_f64(0.5)?);
/// let none = Arguments::default();
/// let answer = calibrate("discrete-laplace", &none, &Sensitivity::from(3u32), &target)?;
/// assert_eq!((answer.parameter, answer.double), ("scale", 6.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the name or an argument is unknown or missing, the target is in a measure that the mechanism is not
/// calibrated in, no noise is enough, or what is looked for has a value already: whoever draws with that value would not have what
/// is promised of the other.
pub fn calibrate(
    name: &str,
    arguments: &Arguments,
    distance_in: &Sensitivity,
    target: &Loss,
) -> Result<Answer, CatalogueError> {
    let entry = find(name, arguments)?;
    let answer = least_noise(entry.name, arguments, distance_in, target)?;
    // σ and σ² are two names of one parameter.
    let names: &[&'static str] = match answer.parameter {
        "scale" | "squared-scale" => &["scale", "squared-scale"],
        _ => std::slice::from_ref(&answer.parameter),
    };
    match names.iter().find(|name| arguments.text(name).is_some()) {
        Some(argument) => Err(CatalogueError::Sought { argument }),
        None => Ok(answer),
    }
}

fn least_noise(
    name: &'static str,
    arguments: &Arguments,
    distance_in: &Sensitivity,
    target: &Loss,
) -> Result<Answer, CatalogueError> {
    let refused = || -> CatalogueError {
        match targets(name) {
            Some(allowed) => ParameterError::new("target", target, allowed).into(),
            None => {
                let allowed = "one whose noise can be asked for: discrete-laplace, discrete-gaussian, gaussian, randomized-response, \
                               exponential, noisy-max, truncated-geometric or renormalised-geometric";
                ParameterError::new("mechanism", name, allowed).into()
            }
        }
    };
    Ok(match (name, target) {
        ("discrete-laplace", Loss::Pure(epsilon)) => {
            safe_above("scale", laplace_scale(distance_in, epsilon)?.value().clone())
        }
        ("exponential" | "noisy-max", Loss::Pure(epsilon)) => {
            let scale = laplace_scale(distance_in, epsilon)?.value().clone();
            safe_above(
                "scale",
                match arguments.scores()? {
                    Scores::Any => scale * Rational::from(2u8),
                    Scores::Monotone => scale,
                },
            )
        }
        ("discrete-gaussian", Loss::Concentrated(rho)) => {
            safe_above("squared-scale", gaussian_squared_scale(distance_in, rho)?.value().clone())
        }
        ("discrete-gaussian", Loss::Approximate { epsilon, delta }) => {
            searched_above("squared-scale", gaussian_squared_scale_for(distance_in, epsilon, delta)?)
        }
        ("gaussian", Loss::Approximate { epsilon, delta }) => searched_above(
            "squared-scale",
            continuous_gaussian_squared_scale_for(distance_in, epsilon, delta)?,
        ),
        ("randomized-response", Loss::Pure(epsilon)) => {
            let categories = arguments.number("categories", "an integer of at least 2")?;
            let truth = RandomizedResponse::from_epsilon(categories, epsilon)?.truth().value().clone();
            Answer { parameter: "prob", double: doubles_around(&truth).0, exact: Some(truth) }
        }
        ("truncated-geometric", Loss::Pure(_)) => {
            let range = arguments.range()?;
            let family = |scale: &_| Ok(truncated_geometric_map(&range, &Scale::new(Clone::clone(scale))?));
            searched_above("scale", least_parameter(distance_in, target, family)?)
        }
        ("renormalised-geometric", Loss::Pure(_)) => {
            let range = arguments.range()?;
            let family =
                |scale: &_| Ok(renormalised_geometric_map(&range, &Scale::new(Clone::clone(scale))?));
            searched_above("scale", least_parameter(distance_in, target, family)?)
        }
        _ => return Err(refused()),
    })
}

/// The measures in which the noise of a mechanism can be asked for, in words; `None` when it cannot be asked for at all.
fn targets(name: &str) -> Option<&'static str> {
    Some(match name {
        "discrete-gaussian" => "a rho, or an epsilon with a delta",
        "gaussian" => "an epsilon with a delta",
        "discrete-laplace"
        | "randomized-response"
        | "exponential"
        | "noisy-max"
        | "truncated-geometric"
        | "renormalised-geometric" => "an epsilon alone",
        _ => return None,
    })
}

/// The error that holds with probability 1 − α for each of `count` answers at once.
///
/// # Errors
/// When the mechanism is neither discrete Laplace nor discrete Gaussian, or its arguments are wrong.
pub fn error_at(
    name: &str,
    arguments: &Arguments,
    level: &Level,
    count: u64,
) -> Result<Natural, CatalogueError> {
    match find(name, arguments)?.name {
        "discrete-laplace" => Ok(laplace_error(&arguments.scale()?, level, count)?),
        "discrete-gaussian" => Ok(gaussian_error(&arguments.squared_scale()?, level, count)?),
        _ => Err(no_error(name)),
    }
}

/// The largest scale or σ² that keeps this error with probability 1 − α for each of `count` answers at once.
///
/// # Errors
/// When the mechanism is neither discrete Laplace nor discrete Gaussian.
pub fn scale_for_error(
    name: &str,
    error: &Natural,
    level: &Level,
    count: u64,
) -> Result<Answer, CatalogueError> {
    match find(name, &Arguments::default())?.name {
        "discrete-laplace" => Ok(searched_below("scale", laplace_scale_within(error, level, count)?)),
        "discrete-gaussian" => {
            Ok(searched_below("squared-scale", gaussian_squared_scale_within(error, level, count)?))
        }
        _ => Err(no_error(name)),
    }
}

fn no_error(name: &str) -> CatalogueError {
    ParameterError::new("mechanism", name, "discrete-laplace or discrete-gaussian").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::{Delta, Epsilon, Rho};

    fn pure(epsilon: f64) -> Loss {
        Loss::Pure(Epsilon::from_f64(epsilon).unwrap())
    }

    fn ask(name: &str, pairs: &[(&str, &str)], target: &Loss) -> Result<(&'static str, f64), String> {
        let arguments = Arguments::new(pairs.iter().copied());
        calibrate(name, &arguments, &Sensitivity::from(1u32), target)
            .map(|answer| (answer.parameter, answer.double))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn calibrated_by_name() {
        let range = [("lower", "0"), ("upper", "5")];
        assert_eq!(ask("discrete-laplace", &[], &pure(0.25)), Ok(("scale", 4.0)));
        assert_eq!(ask("exponential", &[], &pure(0.25)), Ok(("scale", 8.0)));
        assert_eq!(ask("noisy-max", &[("monotone", "true")], &pure(0.25)), Ok(("scale", 4.0)));
        assert_eq!(ask("truncated-geometric", &range, &pure(0.25)), Ok(("scale", 4.0)));
        let (parameter, scale) = ask("renormalised-geometric", &range, &pure(0.25)).unwrap();
        assert!(parameter == "scale" && scale > 4.0);
        let rho = Loss::Concentrated(Rho::from_f64(0.5).unwrap());
        assert_eq!(ask("discrete-gaussian", &[], &rho), Ok(("squared-scale", 1.0)));
        let (_, prob) = ask("randomized-response", &[("categories", "2")], &pure(1.0)).unwrap();
        assert!(prob > 0.731 && prob < 0.7311);
        let approximate = Loss::Approximate {
            epsilon: Epsilon::from_f64(1.0).unwrap(),
            delta: Delta::from_f64(1e-5).unwrap(),
        };
        assert!(ask("discrete-gaussian", &[], &approximate).unwrap().1 > 5.0);
        // Every mechanism that has a measure to ask in is answered in one of them, and says so in the others.
        let told = |name: &str, target: &Loss| ask(name, &[], target).unwrap_err();
        assert!(told("discrete-laplace", &rho).contains("an epsilon alone"));
        assert!(told("discrete-laplace", &approximate).contains("an epsilon alone"));
        assert!(told("gaussian", &rho).contains("an epsilon with a delta"));
        assert!(told("discrete-gaussian", &pure(1.0)).contains("a rho, or an epsilon with a delta"));
        assert!(told("snapping", &pure(1.0)).contains("one whose noise can be asked for"));
        assert!(ask("discrete-laplace", &[], &pure(0.0)).unwrap_err().contains("epsilon = 0"));
    }

    /// Drawn with the value that was given, it would lose more than what is promised of the value that is found.
    #[test]
    fn what_is_looked_for_cannot_be_given() {
        let rho = Loss::Concentrated(Rho::from_f64(0.5).unwrap());
        for (name, pairs, target) in [
            ("discrete-laplace", &[("scale", "1/10")][..], pure(1.0)),
            ("discrete-gaussian", &[("squared-scale", "1/10")], rho),
            ("randomized-response", &[("categories", "2"), ("prob", "999/1000")], pure(1.0)),
            ("truncated-geometric", &[("lower", "0"), ("upper", "9"), ("scale", "1/10")], pure(1.0)),
        ] {
            let refused = ask(name, pairs, &target).unwrap_err();
            assert!(refused.contains("is what is looked for, and cannot be given"), "{name}: {refused}");
        }
    }

    /// Parameters that were searched keep the target also as the decimals that they are printed as.
    #[test]
    fn printed_parameters_are_safe() {
        let one = Sensitivity::from(1u32);
        let level = Level::from_f64(0.05).unwrap();
        for k in 1..24u32 {
            let target = pure(f64::from(k) / 17.0);
            let range = [("lower", "0"), ("upper", "5")];
            let answer = calibrate("renormalised-geometric", &Arguments::new(range), &one, &target).unwrap();
            let scale = answer.double.to_string();
            let given = [range[0], range[1], ("scale", scale.as_str())];
            let map =
                crate::catalogue::privacy_map("renormalised-geometric", &Arguments::new(given)).unwrap();
            assert_eq!(map.check(&one, &target), Ok(true), "{k} {scale}");
            let error = Natural::from(k + 2);
            let answer = scale_for_error("discrete-laplace", &error, &level, 1).unwrap();
            let printed = Arguments::new([("scale", answer.double.to_string().as_str())]);
            assert!(error_at("discrete-laplace", &printed, &level, 1).unwrap() <= error, "{k}");
        }
    }

    #[test]
    fn errors_by_name() {
        let level = Level::from_f64(0.05).unwrap();
        let ten = Arguments::new([("scale", "10")]);
        assert_eq!(error_at("discrete-laplace", &ten, &level, 1).unwrap(), Natural::from(30u8));
        assert_eq!(error_at("discrete-gaussian", &ten, &level, 1).unwrap(), Natural::from(20u8));
        assert!(error_at("snapping", &Arguments::default(), &level, 1).is_err());
        let answer = scale_for_error("discrete-laplace", &Natural::from(30u8), &level, 1).unwrap();
        assert!(answer.double >= 10.0);
    }
}
