//! Small heaps, written as a walker writes them.

mod random;
mod reference;

use crate::packed::pack;
use crate::{Difference, Field, Packed, Root, Shape, ShapeId, Shapes, View, differences};
use proptest::prelude::*;
use unflake_protocol::{ChangeForm, Nearby, Shown, Side, Slot, Step, What};

/// A heap to be written down: objects by number, in any order.
#[derive(Clone, Debug, Default)]
struct Heap {
    objects: Vec<Thing>,
    roots: Vec<usize>,
}

/// What an object holds; references are indices into [`Heap::objects`], `NULL` is none.
#[derive(Clone, Debug)]
enum Thing {
    /// `Node { int value; Node left, right; }`
    Node(u32, usize, usize),
    Text(&'static str),
    Number(u32),
    List(Vec<usize>),
    Set(Vec<usize>),
    Map(Vec<(usize, usize)>),
    Linked(Vec<(usize, usize)>),
    Bytes(Vec<u8>),
    /// With its bytes.
    Path(usize),
    /// `Wide { double amount; Object owner; }`
    Wide(u64, usize),
    /// A set around its map.
    Wrapper(usize),
}

const NULL: usize = usize::MAX;
/// A root that there is not.
const ABSENT: usize = usize::MAX - 1;

const NODE: ShapeId = ShapeId(1);
const TEXT: ShapeId = ShapeId(2);
const NUMBER: ShapeId = ShapeId(3);
const LIST: ShapeId = ShapeId(4);
const MAP: ShapeId = ShapeId(5);
const LINKED: ShapeId = ShapeId(6);
const BYTES: ShapeId = ShapeId(7);
const SET: ShapeId = ShapeId(8);
const PATH: ShapeId = ShapeId(9);
const WIDE: ShapeId = ShapeId(10);
const WRAPPER: ShapeId = ShapeId(11);

/// The root that is a number.
const COUNT: usize = 3;

fn shapes() -> Shapes {
    let mut shapes = Shapes::default();
    let field = |name: &str, kind| Field {
        name: name.to_owned(),
        kind,
    };
    let mut add = |class: &str, view, is_value, fields: Vec<Field>| {
        shapes.add(Shape {
            class: class.to_owned(),
            view,
            is_value,
            is_transparent: class == "java.util.HashSet",
            is_enum: false,
            fields,
        })
    };
    let node = vec![field("value", b'I'), field("left", b'L'), field("right", b'L')];
    assert_eq!(add("a.Node", View::Fields, false, node), NODE);
    assert_eq!(add("java.lang.String", View::Text, true, Vec::new()), TEXT);
    let value = vec![field("value", b'I')];
    assert_eq!(add("java.lang.Integer", View::Fields, true, value), NUMBER);
    assert_eq!(
        add("java.util.ArrayList", View::Sequence, false, Vec::new()),
        LIST
    );
    assert_eq!(
        add("java.util.HashMap", View::UnorderedMap, false, Vec::new()),
        MAP
    );
    assert_eq!(
        add("java.util.LinkedHashMap", View::OrderedMap, false, Vec::new()),
        LINKED
    );
    assert_eq!(add("[B", View::Numbers(b'B'), false, Vec::new()), BYTES);
    assert_eq!(add("java.util.PriorityQueue", View::Bag, false, Vec::new()), SET);
    let path = vec![field("path", b'L')];
    assert_eq!(add("sun.nio.fs.UnixPath", View::Fields, true, path), PATH);
    let wide = vec![field("amount", b'D'), field("owner", b'L')];
    assert_eq!(add("a.Wide", View::Fields, false, wide), WIDE);
    let wrapper = vec![field("map", b'L')];
    assert_eq!(add("java.util.HashSet", View::Fields, false, wrapper), WRAPPER);
    for (name, kind) in [
        ("a.Registry.FIRST", b'L'),
        ("a.Registry.SECOND", b'L'),
        ("a.Late.THIRD", b'L'),
        ("a.Late.COUNT", b'J'),
    ] {
        shapes.add_root(Root {
            name: name.to_owned(),
            kind,
        });
    }
    shapes
}

impl Heap {
    /// Numbers objects as they are reached, root by root. Three objects make a part.
    fn write(&self) -> Packed {
        let mut parts = vec![Vec::new()];
        let mut writer = Writer::default();
        for (id, root) in self.roots.iter().enumerate() {
            if *root == ABSENT {
                continue;
            }
            writer.put(&[0, id as u32]);
            if id == COUNT {
                writer.put(&[*root as u32, (*root >> 32) as u32]);
                continue;
            }
            writer.refer(*root);
            while writer.written < writer.order.len() {
                if writer.written % 3 == 2 {
                    parts.push(std::mem::take(&mut writer.words));
                }
                self.write_object(writer.order[writer.written], &mut writer);
                writer.written += 1;
            }
        }
        parts.push(writer.words);
        Packed::of(&parts.iter().map(|words| pack(words)).collect::<Vec<_>>())
    }

    fn write_object(&self, index: usize, writer: &mut Writer) {
        match &self.objects[index] {
            Thing::Node(value, left, right) => {
                writer.put(&[NODE.0, *value]);
                writer.refer(*left);
                writer.refer(*right);
            }
            Thing::Text(text) => {
                let units: Vec<u16> = text.encode_utf16().collect();
                writer.put(&[TEXT.0, units.len() as u32]);
                for pair in units.chunks(2) {
                    writer.put(&[u32::from(pair[0]) | pair.get(1).map_or(0, |unit| u32::from(*unit) << 16)]);
                }
            }
            Thing::Number(value) => writer.put(&[NUMBER.0, *value]),
            Thing::Path(bytes) => {
                writer.put(&[PATH.0]);
                writer.refer(*bytes);
            }
            Thing::Wide(bits, owner) => {
                writer.put(&[WIDE.0, *bits as u32, (*bits >> 32) as u32]);
                writer.refer(*owner);
            }
            Thing::Wrapper(map) => {
                writer.put(&[WRAPPER.0]);
                writer.refer(*map);
            }
            Thing::List(elements) => writer.put_all(LIST, elements.iter().copied(), elements.len()),
            Thing::Set(elements) => writer.put_all(SET, elements.iter().copied(), elements.len()),
            Thing::Map(pairs) => writer.put_all(MAP, pairs.iter().flat_map(|(k, v)| [*k, *v]), pairs.len()),
            Thing::Linked(pairs) => {
                writer.put_all(LINKED, pairs.iter().flat_map(|(k, v)| [*k, *v]), pairs.len());
            }
            Thing::Bytes(bytes) => {
                writer.put(&[BYTES.0, bytes.len() as u32]);
                for word in bytes.chunks(4) {
                    let bytes = word.iter().rev();
                    writer.put(&[bytes.fold(0, |word, byte| word << 8 | u32::from(*byte))]);
                }
            }
        }
    }
}

/// The words of the part that is being written, and the objects that were reached.
#[derive(Default)]
struct Writer {
    words: Vec<Option<u32>>,
    order: Vec<usize>,
    written: usize,
}

impl Writer {
    fn put(&mut self, words: &[u32]) {
        self.words.extend(words.iter().copied().map(Some));
    }

    fn put_all(&mut self, shape: ShapeId, objects: impl Iterator<Item = usize>, count: usize) {
        self.put(&[shape.0, count as u32]);
        objects.for_each(|object| self.refer(object));
    }

    fn refer(&mut self, object: usize) {
        if object == NULL {
            return self.put(&[0]);
        }
        match self.order.iter().position(|other| *other == object) {
            Some(place) => self.put(&[place as u32 + 1]),
            None => {
                self.order.push(object);
                self.words.push(None);
            }
        }
    }
}

fn heap(objects: Vec<Thing>, roots: &[usize]) -> Heap {
    Heap {
        objects,
        roots: roots.to_vec(),
    }
}

fn compare(before: &Heap, after: &Heap) -> Vec<Difference> {
    differences(&shapes(), &before.write(), &after.write(), false)
        .unwrap()
        .differences
}

/// Path, old, new.
fn told(before: &Heap, after: &Heap) -> Vec<(String, String, String)> {
    let text = |value: Option<Shown>| value.map_or_else(|| "-".to_owned(), |value| value.text);
    compare(before, after)
        .into_iter()
        .map(|one| (one.path, text(one.old), text(one.new)))
        .collect()
}

fn one(path: &str, old: &str, new: &str) -> Vec<(String, String, String)> {
    vec![(path.to_owned(), old.to_owned(), new.to_owned())]
}

use Thing::{Bytes, Linked, List, Map, Node, Number, Path, Set, Text};

#[test]
fn a_field_deep_below_a_root() {
    let before = heap(vec![Node(1, 1, NULL), Node(3, NULL, NULL)], &[0]);
    let after = heap(vec![Node(1, 1, NULL), Node(7, NULL, NULL)], &[0]);
    assert_eq!(told(&before, &after), one("Registry.FIRST.left.value", "3", "7"));
    assert_eq!(compare(&before, &after)[0].form, ChangeForm::Increased);
    let found = &compare(&before, &after)[0];
    let steps: Vec<String> = found
        .steps
        .iter()
        .filter_map(Step::field)
        .map(ToString::to_string)
        .collect();
    assert_eq!(steps, ["a.Registry.FIRST", "a.Node.left", "a.Node.value"]);
    assert_eq!(found.slot, Slot::Field("value".to_owned()));
}

#[test]
fn values_say_what_they_are() {
    let nothing = heap(Vec::new(), &[NULL]);
    let of = |objects: Vec<Thing>| {
        let found = compare(&nothing, &heap(objects, &[0])).remove(0);
        assert_eq!(found.old, Some(Shown::null()));
        found.new.unwrap().what
    };
    let collection = |class: &str, len| What::Collection {
        class: class.to_owned(),
        len,
    };
    let object = |class: &str| What::Object {
        class: class.to_owned(),
    };
    for (objects, what) in [
        (vec![Text("[1]")], What::Text),
        (vec![Number(7)], What::Integer(7)),
        (vec![Node(1, NULL, NULL)], object("a.Node")),
        (vec![Path(1), Bytes(vec![b'x'])], object("sun.nio.fs.UnixPath")),
        (
            vec![List(vec![1]), Text("a")],
            collection("java.util.ArrayList", 1),
        ),
        (vec![Map(Vec::new())], collection("java.util.HashMap", 0)),
        (vec![Bytes(vec![1, 2, 3])], collection("[B", 3)),
        // Shown as the map that it wraps.
        (
            vec![Thing::Wrapper(1), Map(Vec::new())],
            collection("java.util.HashMap", 0),
        ),
    ] {
        let text = format!("{objects:?}");
        assert_eq!(of(objects), what, "{text}");
    }
}

#[test]
fn an_entry_is_in_the_slot_of_its_key() {
    let before = heap(vec![Map(Vec::new())], &[0]);
    let after = heap(vec![Map(vec![(1, 2)]), Text("password"), Number(5)], &[0]);
    let found = &compare(&before, &after)[0];
    let key = Shown::new(What::Text, "\"password\"");
    assert_eq!(found.slot, Slot::Key(key));
    assert_eq!(found.steps.last(), Some(&Step::Element));
}

/// The first difference with what is around it, a line for each triple.
fn around(before: &Heap, after: &Heap) -> Vec<String> {
    let found = differences(&shapes(), &before.write(), &after.write(), true)
        .unwrap()
        .differences;
    let line = |triple: &Nearby| {
        let mark = match triple.side {
            Side::Both => ' ',
            Side::Before => '-',
            Side::After => '+',
        };
        format!("{mark} {} {} {}", triple.object, triple.field, triple.value)
    };
    found[0].around.iter().map(line).collect()
}

#[test]
fn around_a_difference_are_the_way_to_it_its_holder_and_what_is_new() {
    let before = heap(
        vec![Node(1, 1, NULL), Map(vec![(2, 3)]), Text("a"), Number(5)],
        &[0],
    );
    let after = heap(
        vec![
            Node(1, 1, NULL),
            Map(vec![(4, 5), (2, 3)]),
            Text("a"),
            Number(5),
            Text("b"),
            Node(7, NULL, NULL),
        ],
        &[0],
    );
    assert_eq!(
        around(&before, &after),
        [
            "  Registry FIRST Node",
            "  Registry.FIRST left HashMap",
            "  Registry.FIRST.left [\"a\"] 5",
            "+ Registry.FIRST.left [\"b\"] Node",
            "+ Registry.FIRST.left[\"b\"] value 7",
            "+ Registry.FIRST.left[\"b\"] left null",
            "+ Registry.FIRST.left[\"b\"] right null",
        ]
    );
    let empty = heap(Vec::new(), &[NULL]);
    assert_eq!(
        around(&empty, &before)[..2],
        ["- Registry FIRST null", "+ Registry FIRST Node"]
    );
}

#[test]
fn a_change_far_behind_in_a_large_list_is_told_without_the_rest() {
    let list = |size: usize| heap(vec![List(vec![1; size]), Number(1)], &[0]);
    assert_eq!(
        around(&list(1000), &list(1001)),
        ["  Registry FIRST ArrayList", "+ Registry.FIRST [1000] 1"]
    );
}

#[test]
fn an_equal_object_put_in_place_of_another_is_no_difference() {
    let before = heap(vec![Node(1, 1, NULL), Text("x")], &[0]);
    let after = heap(vec![Text("x"), Node(9, NULL, NULL), Node(1, 0, NULL)], &[2]);
    assert_eq!(told(&before, &after), []);
}

#[test]
fn sharing_and_cycles() {
    let cycle = heap(vec![Node(1, 1, NULL), Node(2, 0, NULL)], &[0]);
    assert_eq!(told(&cycle, &cycle.clone()), []);
    let longer = heap(
        vec![
            Node(1, 1, NULL),
            Node(2, 2, NULL),
            Node(1, 3, NULL),
            Node(2, 0, NULL),
        ],
        &[0],
    );
    assert_eq!(
        compare(&cycle, &longer).len(),
        1,
        "unrolled once it looks the same from every object"
    );
    let shared = heap(vec![Node(1, 1, 1), Node(2, NULL, NULL)], &[0]);
    let apart = heap(
        vec![Node(1, 1, 2), Node(2, NULL, NULL), Node(2, NULL, NULL)],
        &[0],
    );
    assert_eq!(
        told(&shared, &apart),
        one("Registry.FIRST.right", "Node (shared)", "Node")
    );
    assert_eq!(
        told(&apart, &shared),
        one("Registry.FIRST.right", "Node", "Node (shared)")
    );
    let texts = heap(vec![List(vec![1, 1]), Text("a")], &[0]);
    let copies = heap(vec![List(vec![1, 2]), Text("a"), Text("a")], &[0]);
    assert_eq!(
        told(&texts, &copies),
        [],
        "which object a text is does not matter"
    );
}

#[test]
fn keys_that_differ_in_a_text_far_below() {
    // Key, list, list, list, text: deeper than partners are looked for, but for values.
    let keys = |texts: &[&'static str]| {
        let mut objects = vec![Map(Vec::new())];
        let mut entries = Vec::new();
        for text in texts {
            let first = objects.len();
            objects.extend([
                List(vec![first + 1]),
                List(vec![first + 2]),
                List(vec![first + 3]),
                Text(text),
            ]);
            entries.push((first, first + 3));
        }
        objects[0] = Map(entries);
        heap(objects, &[0])
    };
    let found = told(&keys(&["de", "en"]), &keys(&["de", "en", "fr", "sv"]));
    assert_eq!(found.len(), 2, "two were added, none was changed: {found:?}");
}

#[test]
fn maps_by_their_keys() {
    let before = heap(
        vec![
            Map(vec![(1, 2), (3, 4)]),
            Text("a"),
            Number(1),
            Text("b"),
            Number(2),
        ],
        &[0],
    );
    let other_order = heap(
        vec![
            Map(vec![(3, 4), (1, 2)]),
            Text("a"),
            Number(1),
            Text("b"),
            Number(2),
        ],
        &[0],
    );
    assert_eq!(told(&before, &other_order), []);
    let changed = heap(
        vec![
            Map(vec![(3, 4), (1, 2)]),
            Text("a"),
            Number(5),
            Text("b"),
            Number(2),
        ],
        &[0],
    );
    assert_eq!(told(&before, &changed), one("Registry.FIRST[\"a\"]", "1", "5"));
    let added = heap(
        vec![
            Map(vec![(3, 4), (1, 2), (5, 6)]),
            Text("a"),
            Number(1),
            Text("b"),
            Number(2),
            Text("poison"),
            Number(9),
        ],
        &[0],
    );
    assert_eq!(told(&before, &added), one("Registry.FIRST[\"poison\"]", "-", "9"));
    assert_eq!(compare(&before, &added)[0].form, ChangeForm::Grown);
    assert_eq!(told(&added, &before), one("Registry.FIRST[\"poison\"]", "9", "-"));
}

#[test]
fn a_path_is_shown_as_text() {
    let before = heap(vec![Map(Vec::new())], &[0]);
    let bytes = Bytes("/tmp/ä".bytes().collect());
    let after = heap(vec![Map(vec![(1, 3)]), Path(2), bytes, Number(1)], &[0]);
    let found = told(&before, &after);
    assert_eq!(found[0].0, "Registry.FIRST[UnixPath(\"/tmp/ä\")]", "{found:?}");
}

#[test]
fn the_order_of_a_linked_map_counts() {
    let before = heap(
        vec![
            Linked(vec![(1, 2), (3, 4)]),
            Text("a"),
            Number(1),
            Text("b"),
            Number(2),
        ],
        &[0],
    );
    let turned = heap(
        vec![
            Linked(vec![(3, 4), (1, 2)]),
            Text("a"),
            Number(1),
            Text("b"),
            Number(2),
        ],
        &[0],
    );
    assert_eq!(told(&before, &turned).len(), 1);
}

#[test]
fn lists_grow_shrink_and_change() {
    let before = heap(vec![List(vec![1, 2]), Text("a"), Text("b")], &[0]);
    let longer = heap(vec![List(vec![1, 3, 2]), Text("a"), Text("b"), Text("c")], &[0]);
    assert_eq!(told(&before, &longer), one("Registry.FIRST[1]", "-", "\"c\""));
    assert_eq!(told(&longer, &before), one("Registry.FIRST[1]", "\"c\"", "-"));
    let other = heap(vec![List(vec![1, 2]), Text("a"), Text("z")], &[0]);
    assert_eq!(told(&before, &other), one("Registry.FIRST[1]", "\"b\"", "\"z\""));
    let bag = heap(vec![Set(vec![1, 2]), Text("a"), Text("b")], &[0]);
    let turned = heap(vec![Set(vec![2, 1]), Text("a"), Text("b")], &[0]);
    assert_eq!(told(&bag, &turned), []);
}

#[test]
fn numbers_in_arrays() {
    let before = heap(vec![Bytes(vec![1, 2, 3, 4, 5])], &[0]);
    let after = heap(vec![Bytes(vec![1, 2, 3, 4, 0xff])], &[0]);
    assert_eq!(told(&before, &after), one("Registry.FIRST[4]", "5", "-1"));
}

#[test]
fn only_common_roots_are_compared() {
    let before = heap(vec![Node(1, NULL, NULL)], &[0, 0]);
    let after = heap(vec![Node(1, NULL, NULL), Text("new")], &[0, 0, 1]);
    assert_eq!(told(&before, &after), []);
    assert_eq!(told(&after, &before), []);
}

#[test]
fn the_root_itself() {
    let before = heap(vec![Text("build/test/data")], &[0, NULL]);
    let after = heap(vec![Text("file:/tmp")], &[0, 0]);
    assert_eq!(
        told(&before, &after),
        [
            (
                "Registry.SECOND".to_owned(),
                "null".to_owned(),
                "\"file:/tmp\"".to_owned()
            ),
            (
                "Registry.FIRST".to_owned(),
                "\"build/test/data\"".to_owned(),
                "\"file:/tmp\"".to_owned()
            ),
        ]
    );
}

/// The shortest way to what differs is told, from whichever root.
#[test]
fn the_shortest_path_wins() {
    let at = |value| {
        heap(
            vec![Node(0, 1, NULL), Node(0, 2, NULL), Node(value, NULL, NULL)],
            &[0, 2],
        )
    };
    assert_eq!(told(&at(1), &at(2)), one("Registry.SECOND.value", "1", "2"));
}

#[test]
fn words_that_nobody_wrote_are_told() {
    let state = Packed::of(&[pack(&[Some(0), Some(0), None, Some(99)])]);
    assert!(differences(&shapes(), &state, &state.clone(), false).is_err());
}

/// Any graph of nodes, lists and maps.
fn any_heap() -> impl Strategy<Value = Heap> {
    let size = 1usize..12;
    size.prop_flat_map(|n| {
        let reference = prop_oneof![1 => Just(NULL), 4 => 0..n];
        let thing = prop_oneof![
            3 => (0u32..3, reference.clone(), reference.clone()).prop_map(|(v, l, r)| Node(v, l, r)),
            1 => Just(Text("a")),
            1 => Just(Text("b")),
            1 => (0u32..3).prop_map(Number),
            1 => prop::collection::vec(0..n, 0..4).prop_map(List),
        ];
        (
            prop::collection::vec(thing, n),
            prop::collection::vec(reference, 2),
        )
    })
    .prop_map(|(objects, roots)| Heap { objects, roots })
}

proptest! {
    /// A heap equals itself, whatever places its objects have.
    #[test]
    fn other_places_are_no_difference(heap in any_heap(), by in 0usize..12) {
        let n = heap.objects.len();
        let place = |index: usize| if index == NULL { NULL } else { (index + by) % n };
        let mut objects = heap.objects.clone();
        for (index, thing) in heap.objects.iter().enumerate() {
            objects[place(index)] = match thing {
                Node(value, left, right) => Node(*value, place(*left), place(*right)),
                List(elements) => List(elements.iter().map(|one| place(*one)).collect()),
                other => other.clone(),
            };
        }
        let moved = Heap { objects, roots: heap.roots.iter().map(|root| place(*root)).collect() };
        prop_assert_eq!(compare(&heap, &moved), []);
    }

    /// A number that changes anywhere below a root is found, and nothing else is.
    #[test]
    fn every_reachable_change_is_found(heap in any_heap(), which in 0usize..12) {
        let n = heap.objects.len();
        let mut after = heap.clone();
        let Node(value, left, right) = heap.objects[which % n] else { return Ok(()) };
        after.objects[which % n] = Node(value + 1, left, right);
        let is_reachable = heap.write() != after.write();
        let found = compare(&heap, &after);
        prop_assert_eq!(found.len(), usize::from(is_reachable), "{:?}", found);
    }
}
