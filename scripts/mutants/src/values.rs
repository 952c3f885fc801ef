//! What a function might return instead.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// Expressions of a return type that are tried in place of a body; what does not compile is left out later.
pub fn values(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".into()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    match kind {
        Type::Tuple(parts) if parts.elems.is_empty() => vec!["()".into()],
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return vec![] };
            let inner = || match &last.arguments {
                PathArguments::AngleBracketed(list) => match list.args.first() {
                    Some(GenericArgument::Type(kind)) => of_type(kind),
                    _ => vec![],
                },
                _ => vec![],
            };
            match last.ident.to_string().as_str() {
                "bool" => vec!["true".into(), "false".into()],
                "usize" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" => vec!["0".into(), "1".into()],
                "Result" | "Checked" => inner().iter().map(|value| format!("Ok({value})")).collect(),
                "Option" => ["None".into()]
                    .into_iter()
                    .chain(inner().iter().map(|value| format!("Some({value})")))
                    .collect(),
                // How something is shown is no part of what is proved.
                "String" => vec![],
                _ => vec!["Default::default()".into()],
            }
        }
        Type::ImplTrait(_) | Type::Reference(_) => vec![],
        _ => vec!["Default::default()".into()],
    }
}
