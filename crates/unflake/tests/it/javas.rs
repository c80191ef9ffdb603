//! The fixtures on the oldest Java and on the newest. The other modules check them on the Java that Maven takes.

use crate::fixture::Fixture;
use crate::{detect, explain, order, pollution};

/// The option for the JDK of this version.
fn java(version: u8) -> String {
    let jdks = xtask::jdks::require_all(&[]).unwrap_or_else(|missing| panic!("{missing}"));
    let jdk = jdks.iter().find(|jdk| jdk.version == version).unwrap();
    format!("--java {}", jdk.home.display())
}

fn frameworks(version: u8) {
    for name in ["detect/junit4", "detect/modules"] {
        let fixture = Fixture::new(name);
        let document = fixture.check(&format!("--seed 7 --rounds 4 --timeout 5s {}", java(version)));
        detect::compare(&fixture, &document);
    }
}

fn causes(version: u8) {
    let fixture = Fixture::new("explain");
    let document = fixture.check(&format!("--seed 7 --rounds 4 {}", java(version)));
    explain::compare(&fixture, &document);
}

fn orders(version: u8) {
    let fixture = Fixture::new("order");
    let document = fixture.check(&format!("--only order --seed 7 {}", java(version)));
    order::compare(&fixture, &document);
}

fn polluters(version: u8) {
    pollution::compare_all(&java(version));
}

macro_rules! on_the_oldest_and_the_newest {
    ($($fixture:ident)*) => { $(mod $fixture {
        #[test]
        fn on_java_8() {
            super::$fixture(8);
        }

        #[test]
        fn on_java_25() {
            super::$fixture(25);
        }
    })* };
}

on_the_oldest_and_the_newest!(frameworks causes orders polluters);
