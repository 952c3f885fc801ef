//! Syntax tree to kernel terms: names are resolved, types checked, definitions put in. Untrusted: what a
//! theorem is about is the term that comes out, and the kernel prints that term itself.

mod calls;
mod claims;
mod expressions;
mod folds;
mod proofs;
mod statements;
mod tables;

use std::collections::HashMap;

use probity_kernel::expr::{Expr as Term, Name, Variable};
use probity_kernel::term::{Claim, Hints, Input, Mechanism, Param, Sort, Statement};

use crate::Span;
use crate::diagnostic::{Code, Sink, quoted};
use crate::names::{Definition, Names, Role};
use crate::parser::MAX_DEPTH;
use crate::program::Program;
use crate::syntax::{CompareOp, Expr, ExprKind, File, Ident, ListLength, ScalarType, TypeExpr};
use crate::types::Type;

/// Names that proofs use for what no program can name.
const GHOSTS: [&str; 3] = ["cost", "result", "changed"];

/// How often the types of variables are inferred before they are checked. A second pass sees what a loop body
/// assigns below its use; a third is for a chain of two such variables.
const INFERENCE_PASSES: usize = 3;

/// Most nodes of a definition's value with the definitions that it uses put in.
const MAX_DEFINITION: usize = 10_000;

/// Everything that a file says, in the kernel's terms.
pub(crate) struct Elaborated {
    pub(crate) mechanism: Mechanism,
    pub(crate) claim: Claim,
    pub(crate) hints: Option<Hints>,
    /// The inputs that are lists of truth values.
    pub(crate) truth_lists: Vec<Name>,
    /// The place of every statement of the body, in the order in which the kernel prints them.
    pub(crate) statement_spans: Vec<Span>,
}

/// Turns a tree into terms; `None` when something is at fault, which the sink then knows.
pub(crate) fn elaborate(file: &File, uses: &[(Ident, Program)], sink: &mut Sink) -> Option<Elaborated> {
    let mut elaborator = Elaborator {
        names: Names::default(),
        sink,
        spans: Vec::new(),
        whiles: 0,
        loops: Vec::new(),
        report_unknown: !file.lost_declarations,
        tables: HashMap::new(),
        row: None,
        waiting: Vec::new(),
        uses,
        called_statements: 0,
    };
    elaborator.file(file)
}

/// What the names of an expression may refer to, and how they are written in the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Parameters and definitions.
    Fixed,
    /// These and the inputs of one run.
    Assumption,
    /// Every name, in one run.
    Program,
    /// Parameters, and the inputs of both runs.
    Relation,
    /// Every name in both runs, and the ghosts.
    Proof,
}

struct Elaborator<'a> {
    names: Names,
    sink: &'a mut Sink,
    spans: Vec<Span>,
    /// How many `while` loops were seen, to label them.
    whiles: usize,
    /// The loop indices in scope.
    loops: Vec<String>,
    /// Whether unknown names are reported: not when a line that declares names was lost.
    report_unknown: bool,
    /// The fields of the input tables, with their types.
    tables: HashMap<String, Vec<(String, Type)>>,
    /// Inside a sum over rows: the name of the row and its table.
    row: Option<(String, String)>,
    /// Statements that must come before the one at hand.
    waiting: Vec<Statement>,
    /// The mechanisms that may be called, by the names of their `use` lines.
    uses: &'a [(Ident, Program)],
    /// How many statements the calls so far stand for, in this pass.
    called_statements: usize,
}

impl Elaborator<'_> {
    fn file(&mut self, file: &File) -> Option<Elaborated> {
        self.check_uses();
        self.declare_inputs(file);
        let params = self.params(file);
        self.definitions(file);
        self.infer_types(file);
        let (inputs, mut assumptions) = self.inputs(file);
        assumptions.extend(self.bounds(file));
        for assumption in &file.assumptions {
            assumptions.extend(self.formula(assumption, Scope::Assumption));
        }
        let (body, output) = self.body(file);
        let adjacency = self.adjacency(file);
        let claim = self.claim(file.claim.as_ref());
        let hints = file.proof.as_ref().map(|proof| self.proof(proof, &body));
        let hints = self.with_called(hints);
        // A name may look unused only because the line that uses it was lost.
        if self.sink.is_clean() {
            self.report_unused();
        }
        if !self.sink.is_clean() {
            return None;
        }
        let name = Name::new(&file.name.as_ref()?.text);
        let mechanism = Mechanism { name, inputs, params, assumptions, body, output: output?, adjacency };
        let statement_spans = std::mem::take(&mut self.spans);
        let is_truths =
            |name: &Name| self.names.get(name.as_str()).is_some_and(|s| s.ty.entry() == Some(Type::Bool));
        let names = mechanism.inputs.iter().map(|input| input.name.clone());
        let truth_lists = names.filter(is_truths).collect();
        Some(Elaborated { mechanism, claim: claim?, hints, truth_lists, statement_spans })
    }

    fn declare(&mut self, name: &Ident, role: Role, ty: Type) {
        self.not_a_ghost(name);
        let described = role.describe();
        if let Err(earlier) = self.names.declare(name, role, ty) {
            self.sink.report_with(Code::DuplicateName, name.span, || {
                let message = format!(
                    "{} is declared here as {described} and above as {}: expected another name",
                    quoted(&name.text),
                    earlier.role.describe()
                );
                (message, Some("a name means one thing in the whole file".into()))
            });
        }
    }

    fn not_a_ghost(&mut self, name: &Ident) {
        if GHOSTS.contains(&name.text.as_str()) {
            self.sink.report(Code::NotAssignable, name.span, || {
                format!("`{}` has a meaning in proofs: expected another name", name.text)
            });
        }
    }

    /// Declares the inputs first, so that a later name that is the same is the one at fault.
    fn declare_inputs(&mut self, file: &File) {
        for input in &file.inputs {
            let scalar = scalar_type(&input.ty.scalar);
            if let ScalarType::Rows(fields) = &input.ty.scalar {
                let fields = fields.iter().map(|(name, ty)| (name.text.clone(), scalar_type(&ty.scalar)));
                self.tables.insert(input.name.text.clone(), fields.collect());
            }
            let ty = if input.ty.list.is_some() { scalar.list() } else { Some(scalar) };
            self.declare(&input.name, Role::Input, ty.unwrap_or(Type::Unknown));
        }
    }

    fn params(&mut self, file: &File) -> Vec<Param> {
        let mut params = Vec::new();
        for param in &file.params {
            let mut list = None;
            let sort = match &param.ty {
                None => Sort::Real,
                Some(TypeExpr { scalar: ScalarType::Real, list: None, .. }) => Sort::Real,
                Some(TypeExpr { scalar: ScalarType::Int, list: None, .. }) => Sort::Int,
                Some(other) => {
                    // Its entries may be read without a further fault.
                    list = other.list.as_ref().and(scalar_type(&other.scalar).list());
                    self.sink.report_with(Code::WrongType, other.span, || {
                        let name = &param.name.text;
                        let hint = list.map(|_| {
                            format!("a public list is an input with `neighbours every entry of {name} differs by at most 0`")
                        });
                        ("a parameter is a number: expected `real` or `int`".to_string(), hint)
                    });
                    Sort::Real
                }
            };
            let ty = if sort == Sort::Int { Type::Int } else { Type::Real };
            self.declare(&param.name, Role::Param, list.unwrap_or(ty));
            params.push(Param { name: Name::new(&param.name.text), sort });
        }
        params
    }

    /// The `let` lines. Each may use the parameters and the definitions above it.
    fn definitions(&mut self, file: &File) {
        for (name, expr) in &file.definitions {
            let value = self.expression(expr, Scope::Fixed);
            if !value.ty.is_numeric() && value.ty != Type::Bool {
                self.require(&value, Type::Real, expr.span);
            }
            let (height, size) = self.extent(expr);
            let mut definition = Definition { value: value.term, height, size };
            if height > MAX_DEPTH || size > MAX_DEFINITION {
                self.sink.report(Code::TooDeep, expr.span, || {
                    let found = format!("{height} levels and {size} nodes");
                    format!(
                        "with its definitions put in this has {found}: expected at most {MAX_DEPTH} and {MAX_DEFINITION}"
                    )
                });
                definition = Definition { value: Term::Bool(false), height: 1, size: 1 };
            }
            self.declare(name, Role::Definition(definition), value.ty);
        }
    }

    /// Height and number of nodes of an expression with its definitions put in.
    fn extent(&self, expr: &Expr) -> (usize, usize) {
        let over = |parts: &[&Expr]| {
            let extents = parts.iter().map(|part| self.extent(part));
            extents.fold((1, 1usize), |(h, s), (height, size)| (h.max(height + 1), s.saturating_add(size)))
        };
        match &expr.kind {
            ExprKind::Name(name) => match self.names.get(name).map(|symbol| &symbol.role) {
                Some(Role::Definition(definition)) => (definition.height, definition.size),
                _ => (1, 1),
            },
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Primed(_) => (1, 1),
            ExprKind::Aggregate(aggregate) => {
                over(&aggregate.condition.iter().chain(&aggregate.value).collect::<Vec<_>>())
            }
            ExprKind::Negate(a) | ExprKind::Not(a) | ExprKind::Field(a, _) => over(&[a]),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => over(&[a, b]),
            ExprKind::Conditional(a, b, c) => over(&[a, b, c]),
            ExprKind::Call(_, arguments) | ExprKind::List(arguments) | ExprKind::Tuple(arguments) => {
                over(&arguments.iter().collect::<Vec<_>>())
            }
            ExprKind::Compare(first, links) => {
                let parts: Vec<&Expr> =
                    std::iter::once(&**first).chain(links.iter().map(|(_, e)| e)).collect();
                let (height, size) = over(&parts);
                // Inner operands stand twice in the conjunction.
                (height + links.len(), size.saturating_mul(2))
            }
        }
    }

    /// The inputs, and what their types say about them: a list of a given length has that length.
    fn inputs(&mut self, file: &File) -> (Vec<Input>, Vec<Term>) {
        let mut inputs = Vec::new();
        let mut lengths = Vec::new();
        for input in &file.inputs {
            let sort = self.input_sort(&input.ty);
            let name = Name::new(&input.name.text);
            if let Some(ListLength::Exactly(length)) = &input.ty.list {
                let length = self.typed(length, Scope::Fixed, Type::Int);
                let list = Variable::Plain(name.clone());
                lengths.push(Term::Length(list).equals(length));
            }
            let entry = match input.ty.list {
                Some(_) => Term::Var(Variable::Entry(name.clone())),
                None => Term::Var(Variable::Plain(name.clone())),
            };
            // A list of truth values is one of the integers 0 and 1, a list of categories one of their numbers.
            if let (Some(_), Sort::IntList) = (&input.ty.list, &sort) {
                let most = match &input.ty.scalar {
                    ScalarType::Bool => Some(Term::int(1)),
                    ScalarType::Category(count) => {
                        Some(self.typed(count, Scope::Fixed, Type::Int) - Term::int(1))
                    }
                    _ => None,
                };
                lengths.extend(most.map(|most| Term::int(0).le(entry.clone()).and(entry.clone().le(most))));
            }
            self.bounded(&input.ty, entry, &mut lengths);
            if let ScalarType::Rows(fields) = &input.ty.scalar {
                for (field, ty) in fields {
                    let value = Term::field(name.clone(), field.text.as_str());
                    self.bounded(ty, value, &mut lengths);
                }
            }
            inputs.push(Input { name, sort });
        }
        (inputs, lengths)
    }

    /// What `in [low, high]` after a type says of a value.
    fn bounded(&mut self, ty: &TypeExpr, value: Term, assumptions: &mut Vec<Term>) {
        let Some((low, high)) = &ty.bounds else { return };
        if !matches!(ty.scalar, ScalarType::Real | ScalarType::Int) {
            self.sink.report(Code::WrongType, ty.span, || {
                "only numbers have bounds: expected `real` or `int` before `in`".to_string()
            });
            return;
        }
        let low = self.typed(low, Scope::Fixed, Type::Real);
        let high = self.typed(high, Scope::Fixed, Type::Real);
        assumptions.push(low.le(value.clone()).and(value.le(high)));
    }

    fn input_sort(&mut self, ty: &TypeExpr) -> Sort {
        let sort = match &ty.scalar {
            ScalarType::Real => Sort::Real,
            ScalarType::Int => Sort::Int,
            ScalarType::Bool => Sort::Bool,
            ScalarType::Category(count) => {
                Sort::Category { count: self.typed(count, Scope::Fixed, Type::Int) }
            }
            ScalarType::Rows(fields) => self.rows(fields),
        };
        match (&ty.list, &sort) {
            (None, _) => sort,
            (Some(_), Sort::Real) => Sort::RealList,
            (Some(_), Sort::Int | Sort::Bool | Sort::Category { .. }) => Sort::IntList,
            (Some(_), Sort::Rows(_)) => {
                self.sink.report(Code::WrongType, ty.span, || {
                    "a table has any number of rows: expected no `[]` after `rows(...)`".to_string()
                });
                sort
            }
            (Some(_), Sort::RealList | Sort::IntList) => sort,
        }
    }

    /// What the `param` lines say: `param eps > 0`, `param p: real in [0, 1]`.
    fn bounds(&mut self, file: &File) -> Vec<Term> {
        let mut bounds = Vec::new();
        for param in &file.params {
            let number =
                |ty: &&TypeExpr| ty.list.is_none() && matches!(ty.scalar, ScalarType::Real | ScalarType::Int);
            if let Some(ty) = param.ty.as_ref().filter(number) {
                self.bounded(ty, Term::var(param.name.text.as_str()), &mut bounds);
            }
            if let Some((operator, bound)) = &param.bound {
                let bound = self.typed(bound, Scope::Fixed, Type::Real);
                bounds.push(compare(*operator, Term::var(param.name.text.as_str()), bound));
            }
        }
        bounds
    }

    /// Runs over the body without reporting, to learn the names and types of all variables.
    fn infer_types(&mut self, file: &File) {
        let mark = self.names.mark();
        self.sink.mute(true);
        for _ in 1..INFERENCE_PASSES {
            self.statements_and_output(&file.body);
            self.names.undo(mark);
            self.called_statements = 0;
        }
        self.sink.mute(false);
        self.names.forget_uses();
    }

    fn body(&mut self, file: &File) -> (Vec<Statement>, Option<Term>) {
        self.spans.clear();
        let mut body: Vec<Statement> = Vec::new();
        for (name, value) in &file.definitions {
            self.spans.push(name.span.to(value.span));
            let value = self.expression_quietly(value);
            body.push(Statement::Assign { var: Name::new(&name.text), value });
        }
        self.whiles = 0;
        let (statements, output) = self.statements_and_output(&file.body);
        body.extend(statements);
        (body, output)
    }

    /// A definition's value as the body assigns it; its faults were reported where it was declared.
    fn expression_quietly(&mut self, value: &Expr) -> Term {
        self.sink.mute(true);
        let term = self.expression(value, Scope::Program).term;
        self.sink.mute(false);
        term
    }

    fn report_unused(&mut self) {
        for (name, symbol) in self.names.in_order() {
            let reported =
                matches!(symbol.role, Role::Input | Role::Param | Role::Definition(_) | Role::Variable);
            if !symbol.used && reported && !name.starts_with('_') {
                self.sink.report_with(Code::Unused, symbol.span, || {
                    let message =
                        format!("nothing uses {} `{name}`: expected a use", &symbol.role.describe());
                    (message, Some(format!("leave it out, or call it `_{name}`")))
                });
            }
        }
    }
}

/// The type of the values of a scalar, or of a table.
fn scalar_type(scalar: &ScalarType) -> Type {
    match scalar {
        ScalarType::Real => Type::Real,
        ScalarType::Int | ScalarType::Category(_) => Type::Int,
        ScalarType::Bool => Type::Bool,
        ScalarType::Rows(_) => Type::Table,
    }
}

/// The comparison as the kernel writes it.
fn compare(operator: CompareOp, left: Term, right: Term) -> Term {
    match operator {
        CompareOp::Less => left.lt(right),
        CompareOp::AtMost => left.le(right),
        CompareOp::Equal => left.equals(right),
        CompareOp::NotEqual => left.differs(right),
        CompareOp::AtLeast => left.ge(right),
        CompareOp::Greater => left.gt(right),
    }
}
