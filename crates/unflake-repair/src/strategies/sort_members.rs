//! R4, SortFields: sort the array of members, annotations or files where the project asks for it, by a total
//! order.
//!
//! The array gets a variable of its own where it has none. Where no statement can stand before the call, as
//! in the body of a lambda, a sorted stream takes its place. A pick by index is left to the strategy that
//! picks by name: sorted, the same index would mean another element.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, descendants};
use crate::members::{Members, comparator};
use crate::near::{fresh_name, is_statement, outermost_callable};
use tree_sitter::Node;

/// Of one line. More are guesses.
const MOST: usize = 3;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(members) = Members::of_choice(clues.choice) else {
        return Vec::new();
    };
    let file = clues
        .choice
        .call
        .as_ref()
        .and_then(|place| clues.sources.file(&place.file));
    let Some(file) = file else {
        return Vec::new();
    };
    let calls = members.calls(&file, clues.choice);
    let sorted = calls.into_iter().filter_map(|call| {
        let (edits, imports) = Sorting::new(clues, &file, members, call)?.edits()?;
        let edits = file.with_imports(edits, imports);
        Some(Candidate::plain(why(clues, &file, call), &file.path, edits))
    });
    sorted.take(MOST).collect()
}

fn why(clues: &Clues<'_>, file: &JavaFile, call: Node<'_>) -> String {
    let mut why = format!(
        "sort what `{}` returns, which is in no particular order",
        file.field(call, "name")
    );
    if !clues.sources.is_test(&file.path) {
        why.push_str("; output that follows this order changes once");
    }
    why
}

type SortedMembers = (Edits, Vec<Import>);

/// One call whose array shall be sorted.
struct Sorting<'f> {
    file: &'f JavaFile,
    members: Members,
    call: Node<'f>,
    java: u32,
    /// `Comparator.comparing(Field::getName)`; none where elements are compared with each other.
    by: Option<String>,
    /// What the comparator needs.
    imports: Vec<Import>,
}

impl<'f> Sorting<'f> {
    fn new(clues: &Clues<'_>, file: &'f JavaFile, members: Members, call: Node<'f>) -> Option<Sorting<'f>> {
        let java = clues.java(&file.path);
        let (by, imports) = if members.are_comparable() {
            (None, Vec::new())
        } else {
            let comparator = comparator(file, call, members, java)?;
            (Some(comparator.text), comparator.imports)
        };
        Some(Sorting {
            file,
            members,
            call,
            java,
            by,
            imports,
        })
    }

    fn edits(&self) -> Option<SortedMembers> {
        let parent = self.call.parent()?;
        if self.members == Members::Paths {
            return self.sorted_stream(self.call);
        }
        match parent.kind() {
            // The number of elements and an element at an index have nothing to gain.
            "field_access" | "array_access" | "expression_statement" => None,
            "variable_declarator" => self.after_declaration(parent),
            "assignment_expression" => self.after_assignment(parent),
            "argument_list" => {
                let outer = parent.parent()?;
                let object = self.file.field(outer, "object");
                match (object, self.file.field(outer, "name")) {
                    ("Arrays", "stream") | ("Stream", "of") if self.java >= 8 => self.sorted_stream(outer),
                    ("Arrays", "sort") => None,
                    _ => self.before_statement(),
                }
            }
            _ => self.before_statement(),
        }
    }

    /// `.sorted(…)` behind the call that makes a stream.
    fn sorted_stream(&self, stream: Node<'f>) -> Option<SortedMembers> {
        let next = stream.parent().filter(|up| up.kind() == "method_invocation");
        if next.is_some_and(|next| self.file.field(next, "name") == "sorted") {
            return None;
        }
        let by = self.by.as_deref().unwrap_or_default();
        // A stream with its calls below each other stays so.
        let dot = next.and_then(|next| {
            let name = next.child_by_field_name("name")?;
            let between = &self.file.text()[stream.end_byte()..name.start_byte()];
            between.contains('\n').then_some(between)
        });
        let text = format!("{}sorted({by})", dot.unwrap_or("."));
        Some((Edits::new().insert(stream.end_byte(), text), self.imports.clone()))
    }

    fn after_declaration(&self, declarator: Node<'f>) -> Option<SortedMembers> {
        let declaration = declarator.parent()?;
        if declaration.kind() != "local_variable_declaration" || !is_in_block(declaration) {
            return self.streamed();
        }
        let variable = self.file.field(declarator, "name").to_owned();
        self.after(declaration, &variable)
    }

    fn after_assignment(&self, assignment: Node<'f>) -> Option<SortedMembers> {
        let statement = assignment.parent()?;
        let is_plain = statement.kind() == "expression_statement" && is_in_block(statement);
        let left = assignment.child_by_field_name("left")?;
        if !is_plain || !matches!(left.kind(), "identifier" | "field_access") {
            return self.streamed();
        }
        let variable = self.file.of(left).to_owned();
        self.after(statement, &variable)
    }

    /// Sorts a variable after the statement that gives it its value.
    fn after(&self, statement: Node<'f>, variable: &str) -> Option<SortedMembers> {
        let scope = outermost_callable(statement).unwrap_or(statement);
        let inner: Vec<&str> = descendants(scope).map(|node| self.file.of(node)).collect();
        let is_there = |texts: &[String]| texts.iter().any(|text| inner.contains(&text.as_str()));
        let sorts = inner
            .iter()
            .any(|text| text.starts_with(&format!("Arrays.sort({variable},")))
            || is_there(&[format!("Arrays.sort({variable})")]);
        let is_picked = |node: Node<'_>| {
            let index = node.child_by_field_name("index");
            self.file.field(node, "array") == variable
                && index.is_some_and(|index| index.kind() == "decimal_integer_literal")
        };
        // Sorted, the same index would mean another element.
        if sorts || descendants(scope).any(is_picked) {
            return None;
        }
        let may_be_null = self.members.may_be_null()
            && is_there(&[
                format!("{variable} == null"),
                format!("{variable} != null"),
                format!("null == {variable}"),
                format!("null != {variable}"),
            ]);
        let start = self.new_line(statement);
        let (sort, imports) = self.sort(statement, variable, may_be_null);
        let edits = Edits::new().insert(statement.end_byte(), format!("{start}{sort}"));
        Some((edits, imports))
    }

    /// The array gets a variable before the statement.
    fn before_statement(&self) -> Option<SortedMembers> {
        let Some(statement) = self.statement() else {
            return self.streamed();
        };
        let variable = fresh_name(self.file, self.call, &self.members.variables())?;
        let (class, wildcard) = self.members.class();
        let (class, import) = self.file.using(class);
        let call = self.file.of(self.call);
        let start = self.new_line(statement);
        // A loop over nothing fails anyway.
        let may_be_null = self.members.may_be_null() && statement.kind() != "enhanced_for_statement";
        let range = self.call.byte_range();
        let declaration = format!("{class}{wildcard}[] {variable} = {call};{start}");
        let (sort, mut imports) = self.sort(statement, variable, may_be_null);
        imports.extend(import);
        let edits = Edits::new()
            .insert(statement.start_byte(), format!("{declaration}{sort}{start}"))
            .replace(range, variable);
        Some((edits, imports))
    }

    /// The statement before which the call can be made as well: it is made once, and whatever else happens.
    fn statement(&self) -> Option<Node<'f>> {
        let mut below = self.call;
        for above in ancestors(self.call) {
            let operator = self.file.field(above, "operator");
            let is_conditional = operator == "&&"
                || operator == "||"
                || matches!(
                    above.kind(),
                    "lambda_expression"
                        | "ternary_expression"
                        | "switch_expression"
                        | "class_body"
                        | "explicit_constructor_invocation"
                );
            if is_conditional {
                return None;
            }
            if is_statement(above) {
                let head = match above.kind() {
                    "enhanced_for_statement" => above.child_by_field_name("value"),
                    "if_statement" => above.child_by_field_name("condition"),
                    "expression_statement" | "local_variable_declaration" | "return_statement" => Some(below),
                    _ => None,
                };
                return (head == Some(below) && is_in_block(above)).then_some(above);
            }
            below = above;
        }
        None
    }

    /// A sorted copy, where no statement can stand.
    fn streamed(&self) -> Option<SortedMembers> {
        // There is no stream of a `null`.
        if self.java < 8 || self.members.may_be_null() {
            return None;
        }
        let (arrays, import) = self.file.using("java.util.Arrays");
        let (class, of_class) = self.file.using(self.members.class().0);
        let wildcard = self.members.class().1;
        let imports = self.imports.iter().cloned().chain(import).chain(of_class);
        let by = self.by.as_deref().unwrap_or_default();
        let edits = Edits::new()
            .insert(self.call.start_byte(), format!("{arrays}.stream("))
            .insert(
                self.call.end_byte(),
                format!(").sorted({by}).toArray({class}{wildcard}[]::new)"),
            );
        Some((edits, imports.collect()))
    }

    /// The statement that sorts a variable, indented as another statement, without its first white space.
    fn sort(&self, like: Node<'f>, variable: &str, may_be_null: bool) -> Statement {
        let (arrays, import) = self.file.using("java.util.Arrays");
        let imports = self.imports.iter().cloned().chain(import);
        let by = self.by.as_ref().map(|by| format!(", {by}")).unwrap_or_default();
        let sort = format!("{arrays}.sort({variable}{by});");
        let text = if may_be_null {
            let start = self.new_line(like);
            format!(
                "if ({variable} != null) {{{start}{}{sort}{start}}}",
                self.file.indent_unit()
            )
        } else {
            sort
        };
        (text, imports.collect())
    }

    fn new_line(&self, like: Node<'_>) -> String {
        format!("{}{}", self.file.line_end(), self.file.indentation(like))
    }
}

/// A statement and what it needs.
type Statement = (String, Vec<Import>);

/// Whether another statement can stand beside it.
fn is_in_block(statement: Node<'_>) -> bool {
    let around = statement.parent().map(|up| up.kind());
    matches!(
        around,
        Some("block" | "constructor_body" | "switch_block_statement_group")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    const IMPORTS: &str = "import java.io.File;\nimport java.lang.reflect.*;\nimport java.nio.file.*;\nimport java.util.*;\n\
                           import java.lang.annotation.Annotation;\n";

    fn in_test(api: &str, code: &str) -> Case {
        case(&format!(
            "{IMPORTS}class ATest {{\n  void a() {{\n{code}\n  }}\n}}\n"
        ))
        .api(api)
    }

    /// Code with one marked line, and its changed lines.
    fn check(api: &str, code: &str, expected: &str) {
        let expected: &[&str] = if expected.is_empty() { &[] } else { &[expected] };
        in_test(api, code).check(propose, expected);
    }

    #[test]
    fn loops_get_a_sorted_array() {
        check(
            "Class.getDeclaredFields",
            "    for (Field f : c.getDeclaredFields()) {/*calls*/\n      use(f);\n    }",
            "-for (Field f : c.getDeclaredFields()) {\n+Field[] fields = c.getDeclaredFields();\n\
             +Arrays.sort(fields, Comparator.comparing(Field::getName));\n+for (Field f : fields) {",
        );
        check(
            "Class.getMethods",
            "    Object methods;\n    for (Method m : c.getMethods())/*calls*/\n      use(m);",
            "-for (Method m : c.getMethods())\n+Method[] sortedMethods = c.getMethods();\n\
             +Arrays.sort(sortedMethods, Comparator.comparing(Method::getName).thenComparing(Method::toString));\n\
             +for (Method m : sortedMethods)",
        );
        check(
            "Class.getDeclaredFields",
            "    if (x)\n      for (Field f : c.getDeclaredFields()) use(f);/*calls*/",
            "-for (Field f : c.getDeclaredFields()) use(f);\n+for (Field f : Arrays.stream(c.getDeclaredFields())\
             .sorted(Comparator.comparing(Field::getName)).toArray(Field[]::new)) use(f);",
        );
        check(
            "File.listFiles",
            "    for (File f : d.listFiles()) {}/*calls*/",
            "-for (File f : d.listFiles()) {}\n+File[] files = d.listFiles();\n+Arrays.sort(files);\n\
             +for (File f : files) {}",
        );
    }

    #[test]
    fn variables_are_sorted_after_they_got_their_value() {
        check(
            "Class.getDeclaredConstructors",
            "    Constructor<?>[] cs = c.getDeclaredConstructors();/*calls*/",
            "+Arrays.sort(cs, Comparator.comparing(Constructor::toString));",
        );
        check(
            "Method.getDeclaredAnnotations",
            "    this.found = m.getAnnotations();/*calls*/",
            "+Arrays.sort(this.found, Comparator.comparing(a -> a.annotationType().getName()));"
                .replace("a ->", "annotation ->")
                .replace("a.ann", "annotation.ann")
                .as_str(),
        );
        check(
            "File.list",
            "    String[] all = d.list();/*calls*/\n    if (all == null) return;",
            "+if (all != null) {\n+Arrays.sort(all);\n+}",
        );
        check(
            "Class.getDeclaredFields",
            "    Field[] fs = c.getDeclaredFields();/*calls*/\n    Arrays.sort(fs, mine);",
            "",
        );
        check(
            "Class.getDeclaredFields",
            "    Field[] fs = c.getDeclaredFields();/*calls*/\n    use(fs[0]);",
            "",
        );
        check(
            "Class.getDeclaredFields",
            "    Field[] fs = c.fields();/*calls*/",
            "",
        );
        check(
            "HashMap.keySet",
            "    Field[] fs = c.getDeclaredFields();/*calls*/",
            "",
        );
    }

    #[test]
    fn larger_expressions_get_a_variable() {
        check(
            "Class.getDeclaredFields",
            "    return c.getDeclaredFields();/*calls*/",
            "-return c.getDeclaredFields();\n+Field[] fields = c.getDeclaredFields();\n\
             +Arrays.sort(fields, Comparator.comparing(Field::getName));\n+return fields;",
        );
        check(
            "Class.getFields",
            "    List<Field> l = Arrays.asList(c.getFields());/*calls*/",
            "-List<Field> l = Arrays.asList(c.getFields());\n+Field[] fields = c.getFields();\n\
             +Arrays.sort(fields, Comparator.comparing(Field::getName).thenComparing(Field::toString));\n\
             +List<Field> l = Arrays.asList(fields);",
        );
        check(
            "File.listFiles",
            "    use(d.listFiles(filter));/*calls*/",
            "-use(d.listFiles(filter));\n+File[] files = d.listFiles(filter);\n+if (files != null) {\n\
             +Arrays.sort(files);\n+}\n+use(files);",
        );
        check(
            "Class.getDeclaredClasses",
            "    Object o = c == null ? none : c.getDeclaredClasses();/*calls*/",
            "-Object o = c == null ? none : c.getDeclaredClasses();\n+Object o = c == null ? none : \
             Arrays.stream(c.getDeclaredClasses()).sorted(Comparator.comparing(Class::getName)).toArray(Class<?>[]::new);",
        );
        check("File.listFiles", "    run(() -> d.listFiles());/*calls*/", "");
        check(
            "Class.getDeclaredFields",
            "    int n = c.getDeclaredFields().length;/*calls*/",
            "",
        );
        check(
            "Class.getDeclaredFields",
            "    Field f = c.getDeclaredFields()[0];/*calls*/",
            "",
        );
    }

    #[test]
    fn streams_are_sorted() {
        check(
            "Class.getDeclaredFields",
            "    Arrays.stream(c.getDeclaredFields()).map(f).collect(x);/*calls*/",
            "-Arrays.stream(c.getDeclaredFields()).map(f).collect(x);\n+Arrays.stream(c.getDeclaredFields())\
             .sorted(Comparator.comparing(Field::getName)).map(f).collect(x);",
        );
        check(
            "Class.getDeclaredMethods",
            "    Stream.of(c.getDeclaredMethods())/*calls*/\n        .map(f)\n        .collect(x);",
            "+.sorted(Comparator.comparing(Method::getName).thenComparing(Method::toString))",
        );
        check(
            "Files.list",
            "    try (Stream<Path> s = Files.list(p)) {/*calls*/\n    }",
            "-try (Stream<Path> s = Files.list(p)) {\n+try (Stream<Path> s = Files.list(p).sorted()) {",
        );
        check("Files.list", "    use(Files.list(p).sorted());/*calls*/", "");
    }

    #[test]
    fn line_ends_and_indentation_are_those_of_the_file() {
        let text = "import java.lang.reflect.*;\r\nimport java.util.*;\r\nclass ATest {\r\n\tvoid a() {\r\n\
                    \t\tuse(c.getFields());\r\n\t}\r\n}\r\n";
        let marked = text.replace("());", "());/*calls*/");
        let candidates = case(&marked).api("Class.getFields").candidates(propose);
        let edited = candidates[0].edits.values().next().unwrap().apply(text);
        let (_, body) = edited.split_once("void a() {").unwrap();
        assert_eq!(
            body,
            "\r\n\t\tField[] fields = c.getFields();\r\n\t\tArrays.sort(fields, \
             Comparator.comparing(Field::getName).thenComparing(Field::toString));\r\n\t\tuse(fields);\r\n\t}\r\n}\r\n"
        );
    }

    #[test]
    fn java_7_has_a_comparator_with_a_class() {
        in_test("Class.getMethods", "    Method[] all = c.getMethods();/*calls*/").java(7, &[]).check(
            propose,
            &["+Arrays.sort(all, new Comparator<Method>() {\n+@Override\n+public int compare(Method a, Method b) {\n\
               +int result = a.getName().compareTo(b.getName());\n\
               +return result != 0 ? result : a.toString().compareTo(b.toString());\n+}\n+});"],
        );
        in_test("Class.getMethods", "    run(x ? c.getMethods() : null);/*calls*/")
            .java(7, &[])
            .check(propose, &[]);
    }

    #[test]
    fn main_code_imports_and_tells_that_output_changes() {
        let case = case("class ATest {}\n")
            .api("Class.getDeclaredFields")
            .main("class Main {\n  void a() {\n    for (java.lang.reflect.Field f : c.getDeclaredFields()) {}/*calls*/\n  }\n}\n");
        case.check(
            propose,
            &["+import java.lang.reflect.Field;\n+import java.util.Arrays;\n+import java.util.Comparator;\n+\n\
               -for (java.lang.reflect.Field f : c.getDeclaredFields()) {}\n\
               +Field[] fields = c.getDeclaredFields();\n+Arrays.sort(fields, Comparator.comparing(Field::getName));\n\
               +for (java.lang.reflect.Field f : fields) {}"],
        );
        assert_eq!(
            case.candidates(propose)[0].why,
            "sort what `getDeclaredFields` returns, which is in no particular order; output that follows this order \
             changes once"
        );
    }
}
