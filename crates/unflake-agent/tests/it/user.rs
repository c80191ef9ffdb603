//! Models of users, by configuration and by annotation; orders that are meant; filters by caller.

use crate::boundaries::{hear, jars, lines};
use crate::jvm::{Folder, jdks};
use crate::program::configuration;
use unflake_protocol::{Form, Level, Role, Strategy, ToProgram, UserModel, UserModelKind};

const TESTS: &str = r#"
import java.lang.annotation.*;
import java.util.*;
import org.junit.*;
public class Users {
    @Retention(RetentionPolicy.CLASS) @interface Underdetermined { String kind() default "permute"; }
    @interface OrderIsMeant {}
    @Underdetermined static List<String> annotated() { return Arrays.asList("a", "b", "c"); }
    static String[] configured() { return new String[] {"a", "b", "c"}; }
    List<String> ofAnObject() { return Arrays.asList("a", "b", "c"); }
    static ArrayList<String> fixedType() { return new ArrayList<String>(Arrays.asList("a", "b", "c")); }
    static Set<Integer> set() { return new HashSet<Integer>(Arrays.asList(0, 1, 2)); }
    static String text(Set<Integer> set) { StringBuilder s = new StringBuilder(); for (int i : set) { s.append(i); } return s.toString(); }
    @OrderIsMeant static String meant(Set<Integer> set) { StringBuilder s = new StringBuilder(); for (int i : set) { s.append(i); } return s.toString(); }
    @Test public void byAnnotation() { Assert.fail(annotated().toString()); }
    @Test public void byConfiguration() { Assert.fail(Arrays.toString(configured())); }
    @Test public void byObject() { Assert.fail(ofAnObject().toString()); }
    @Test public void notPossible() { Assert.fail(fixedType().toString()); }
    @Test public void plain() { Assert.fail(text(set())); }
    @Test public void isMeant() { Assert.fail(meant(set())); }
}
"#;

#[test]
fn models_of_users_vary_and_meant_orders_do_not() {
    let folder = Folder::new();
    folder.compile("Users", TESTS, &jars());
    let mut settings = configuration(Role::Build);
    settings.strategy = Some(Strategy {
        level: Level::Full,
        form: Form::Reverse,
    });
    settings.user_models = ["Users.configured", "Users.ofAnObject", "Users.fixedType"]
        .map(|method| UserModel {
            method: method.to_owned(),
            kind: UserModelKind::Permute,
        })
        .to_vec();
    for jdk in jdks() {
        let heard = hear(
            &jdk,
            &folder,
            settings.clone(),
            "org.junit.runner.JUnitCore",
            &["Users"],
        );
        let mut failed = lines(&heard);
        failed.retain(|line| line.starts_with("  failed"));
        failed.sort();
        assert_eq!(
            failed,
            [
                "  failed byAnnotation: [c, b, a]",
                "  failed byConfiguration: [c, b, a]",
                "  failed byObject: [c, b, a]",
                "  failed isMeant: 012",
                "  failed notPossible: [a, b, c]",
                "  failed plain: 210",
            ],
            "on {}",
            jdk.feature
        );
        let models = heard.iter().find_map(|message| match message {
            ToProgram::TestFinished { test, choices, .. } if test.method == "byAnnotation" => {
                Some(&choices.models)
            }
            _ => None,
        });
        assert!(
            models.is_some_and(|all| all.contains(&"Users.annotated".to_owned())),
            "{models:?}"
        );
        assert!(heard.iter().any(
            |message| matches!(message, ToProgram::NotApplied { method, .. } if method == "Users.fixedType")
        ));
    }
}

#[test]
fn callers_can_be_left_out() {
    let folder = Folder::new();
    folder.compile("Users", TESTS, &jars());
    let mut settings = configuration(Role::Build);
    settings.strategy = Some(Strategy {
        level: Level::Full,
        form: Form::Reverse,
    });
    for jdk in jdks() {
        for (from, skip_from, expected) in [
            ("Users", "", "210"),
            ("org.other.*", "", "012"),
            ("", "Users.text", "012"),
            ("", "Users.o*", "210"),
        ] {
            let list = |glob: &str| Vec::from_iter((!glob.is_empty()).then(|| glob.to_owned()));
            (settings.from, settings.skip_from) = (list(from), list(skip_from));
            let lines = lines(&hear(
                &jdk,
                &folder,
                settings.clone(),
                "org.junit.runner.JUnitCore",
                &["Users"],
            ));
            let expected = format!("  failed plain: {expected}");
            assert!(
                lines.contains(&expected),
                "{from} {skip_from} on {}: {lines:#?}",
                jdk.feature
            );
        }
    }
}
