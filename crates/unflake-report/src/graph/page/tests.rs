use super::super::samples;
use super::*;
use std::time::{Duration, Instant};

#[test]
fn the_page_has_the_figures_the_picture_and_the_failures() {
    let page = page(&samples::figure_2_12());
    for part in [
        "<title>shop.CartTest#writesJson: state space</title>",
        "fails with probability 50 %",
        "<dt>nodes</dt><dd>8</dd>",
        "<dt>edges</dt><dd>9</dd>",
        "<dt>failing leaves</dt><dd>2</dd>",
        "<dt>merge nodes</dt><dd>1</dd>",
        "<dt>critical choices</dt><dd>2</dd>",
        "<dt>executions</dt><dd>8</dd>",
        "<dt>time</dt><dd>3.4 s</dd>",
        "<dt>complete</dt><dd>yes</dd>",
        "Ways to fail (2)",
        "AssertionFailedError: expected: &lt;2&gt; but was: &lt;1&gt;",
        "class=\"node choice critical both\"",
        "class=\"node choice merge both\"",
        "<text y=\"4\">×2</text>",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert_eq!(page.matches("data-node=").count(), 8);
    assert_eq!(page.matches("data-line=").count(), 8);
}

#[test]
fn the_panel_says_which_element_moved() {
    let page = page(&samples::figure_2_12());
    assert!(
        page.contains(
            r#""order":[1,0],"more":0,"change":"may.pdf and june.pdf changed places","moved":[0,1]"#
        )
    );
}

#[test]
fn nothing_is_fetched() {
    let page = page(&samples::figure_2_12());
    for needle in ["src=", "href=", "@import", "url(", "fetch(", "innerHTML", "eval("] {
        assert!(!page.contains(needle), "{needle}");
    }
    let addresses = page.matches("http://").count() + page.matches("https://").count();
    assert_eq!(
        addresses,
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count()
    );
}

#[test]
fn hostile_texts_stay_texts() {
    let page = page(&samples::hostile());
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(
        page.matches("alert(1)").count(),
        page.matches("script&gt;alert(1)").count() + page.matches(r"script\u003ealert(1)").count()
    );
    assert!(!page.contains("<b>x"));
    let strange =
        |c: char| c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!page.contains(strange));
    assert!(page.len() < 80_000, "{}", page.len());
}

#[test]
fn hostile_texts_keep_the_data_readable() {
    let page = page(&samples::hostile());
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    let message = data["failures"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("</script><script>alert(1)"), "{message}");
    assert!(data["failures"][1]["message"].as_str().unwrap().chars().count() <= 4000);
}

#[test]
fn what_was_not_tried_is_said() {
    let mut space = samples::figure_2_12();
    space.complete = false;
    space.notes = vec!["`File.list` has 9 elements: 100 of 362880 orders were tried".to_owned()];
    space.figures.interval = Some((0.4, 0.6));
    let page = page(&space);
    assert!(page.contains("fails with probability about 50 %, certainly between 40 % and 60 %"));
    assert!(page.contains("<dt>complete</dt><dd>no</dd>"));
    assert!(page.contains("<li>`File.list` has 9 elements"));
}

#[test]
fn a_group_says_how_many_orders_it_is() {
    let page = page(&samples::figure_2_8());
    assert!(page.contains(">23 failing orders</text>"));
    assert!(page.contains("fails with probability 23/24 (95.8 %)"));
    // Each of its orders has its own failure.
    assert!(page.contains(r#""failure":22"#));
}

#[test]
fn five_hundred_nodes_are_drawn_in_a_moment() {
    let space = samples::random(500, 1);
    let begin = Instant::now();
    let page = page(&space);
    // Measured in a debug build: 0.2 s. The limit is for what grows with the square.
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert_eq!(page.matches("data-node=").count(), LIMIT);
    assert!(page.contains("the picture shows the top 600 nodes"));
}

#[test]
fn the_page_is_the_same_every_time() {
    let space = samples::random(100, 2);
    assert_eq!(page(&space), page(&space));
}

/// Writes pages to look at: `UNFLAKE_PAGES=/tmp/pages cargo test -p unflake-report pages_to_look_at`.
#[test]
fn pages_to_look_at() {
    let Some(folder) = std::env::var_os("UNFLAKE_PAGES") else {
        return;
    };
    let folder = std::path::Path::new(&folder);
    let spaces = [
        ("figure-2-12", samples::figure_2_12()),
        ("figure-2-8", samples::figure_2_8()),
        ("tree", samples::tree(3, 3)),
        ("random-40", samples::random(40, 3)),
        ("random-200", samples::random(110, 5)),
        ("random-600", samples::random(300, 1)),
        ("random-3000", samples::random(3000, 7)),
        ("hostile", samples::hostile()),
    ];
    for (name, space) in spaces {
        std::fs::write(folder.join(format!("{name}.html")), page(&space)).unwrap();
        std::fs::write(folder.join(format!("{name}.dot")), super::super::dot(&space)).unwrap();
    }
}
