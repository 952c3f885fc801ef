//! The library of mechanisms loads, is formatted, and says of itself what the folder says.

use crate::common;

use common::sources;
use probity_lang::{format, load_text_in, render};

fn library() -> Vec<(std::path::PathBuf, String)> {
    [sources("mechanisms"), sources("mechanisms/broken")].concat()
}

#[test]
fn every_mechanism_loads_without_warnings() {
    for (path, text) in library() {
        let name = path.display().to_string();
        match load_text_in(&text, path.parent().unwrap()) {
            Err(faults) => panic!("{}", render(&faults, &name, &text)),
            Ok(program) => {
                assert!(program.warnings.is_empty(), "{}", render(&program.warnings, &name, &text));
                assert_eq!(Some(program.mechanism.name.as_str()), path.file_stem().and_then(|s| s.to_str()));
                assert!(text.starts_with("// "), "{name} has no header comment");
                let broken = path.parent().unwrap().ends_with("broken");
                assert_eq!(program.expect_refuted, broken, "{name}");
            }
        }
    }
}

#[test]
fn every_mechanism_is_formatted() {
    for (path, text) in library() {
        assert_eq!(format(&text).unwrap(), text, "{} is not formatted", path.display());
    }
}

#[test]
fn statement_spans_follow_the_order_of_the_kernel() {
    for (path, text) in library() {
        let program = load_text_in(&text, path.parent().unwrap()).unwrap();
        let printed = program.mechanism.to_string();
        let statements: Vec<&str> = printed
            .lines()
            .map(str::trim)
            // After the result stand mechanisms that are called.
            .take_while(|line| !line.starts_with("return"))
            .filter(|line| !line.starts_with('}'))
            .filter(|line| {
                ["mechanism", "param", "where", "neighbours"].iter().all(|word| !line.starts_with(word))
            })
            .collect();
        assert_eq!(statements.len(), program.spans.statements.len(), "{}", path.display());
        for (printed, span) in statements.iter().zip(&program.spans.statements) {
            // The first word agrees: the variable, or the keyword of the statement.
            let first = |text: &str| text.split([' ', '(']).next().unwrap_or("").to_string();
            let written = span.text(&text).trim_start_matches("let ");
            // A tuple becomes the statements that fill a list.
            if written.starts_with("return (") {
                continue;
            }
            assert_eq!(first(printed), first(written), "{}: {printed} / {written}", path.display());
        }
    }
}

/// `y -= e` and its kin are assignments of what they say, with the whole of `e` as the operand; and they are laid out as they are.
#[test]
fn a_variable_is_set_to_what_it_was_with_an_operand() {
    let text = |line: &str| {
        format!(
            "mechanism m(x: real)\nparam eps > 0\n\ny = x\n{line}\nz ~ laplace(y, 1 / eps)\nreturn z\n\n\
             neighbours abs(x' - x) <= 1\nclaim eps\n"
        )
    };
    let body = |line: &str| load_text_in(&text(line), ".".as_ref()).unwrap().mechanism.body;
    for operator in ["+", "-", "*", "/"] {
        let update = format!("y {operator}= eps - 2 * x");
        assert_eq!(body(&update), body(&format!("y = y {operator} (eps - 2 * x)")));
        assert_eq!(format(&text(&update)).unwrap(), text(&update));
    }
}
