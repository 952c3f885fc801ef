//! Words with an opposite: formulas are built with methods (`le`, `and`), and directions are names (`Up`, `add_down`, `First`).

/// What may stand in place of a method; `None` leaves the call out, so that its receiver is the value.
pub fn other_methods(name: &str) -> Vec<Option<String>> {
    let others: &[Option<&str>] = match name {
        "le" => &[Some("lt"), Some("ge")],
        "lt" => &[Some("le"), Some("gt")],
        "ge" => &[Some("gt"), Some("le")],
        "gt" => &[Some("ge"), Some("lt")],
        "and" => &[Some("or")],
        "or" => &[Some("and")],
        "equals" => &[Some("le"), Some("differs")],
        "differs" => &[Some("equals")],
        "implies" => &[Some("or")],
        "min" => &[Some("max")],
        "max" => &[Some("min")],
        "floor" => &[Some("ceil")],
        "ceil" => &[Some("floor")],
        "abs" => &[None],
        _ => &[],
    };
    let turned = turned(name).map(Some);
    others.iter().map(|other| other.map(String::from)).chain(turned).collect()
}

/// A name with its direction turned round.
pub fn turned(name: &str) -> Option<String> {
    const PAIRS: [(&str, &str); 8] = [
        ("up", "down"),
        ("Up", "Down"),
        ("low", "high"),
        ("lower", "upper"),
        ("below", "above"),
        ("first", "second"),
        ("First", "Second"),
        ("floor", "ceil"),
    ];
    let mut parts: Vec<&str> = name.split('_').collect();
    for part in parts.iter_mut().rev() {
        for (one, other) in PAIRS {
            if *part == one || *part == other {
                *part = if *part == one { other } else { one };
                return Some(parts.join("_")).filter(|_| name != "floor" && name != "ceil");
            }
        }
    }
    None
}
