//! Reasons to refuse an edit.

use super::ends::{InputEnd, Side};
use crate::document::{Link, ReadError, Scope};
use crate::problem::Problem;
use crate::stage::types::PortType;

/// Why an edit is refused. The message is a sentence with the cause and, where there is one, the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The level does not exist.
    #[error("there is no group `{scope}` in this graph; it was removed or renamed")]
    NoSuchLevel {
        /// The level that is missing.
        scope: Scope,
    },
    /// The node does not exist.
    #[error("there is no node `{path}`; it was removed or renamed")]
    NoSuchNode {
        /// The node's path, such as `substep/density`.
        path: String,
    },
    /// The comment frame does not exist.
    #[error("there is no comment frame {}; it was removed", .index + 1)]
    NoSuchFrame {
        /// Index on the level, from 0.
        index: usize,
    },
    /// The bookmark does not exist.
    #[error("there is no bookmark {number}; it was removed")]
    NoSuchBookmark {
        /// Number of the bookmark, as the graph file writes it.
        number: String,
    },
    /// The expectation does not exist.
    #[error("there is no expectation {}; it was removed", .index + 1)]
    NoSuchExpectation {
        /// Index in the document, from 0.
        index: usize,
    },
    /// The library has no such stage or group.
    #[error("there is no stage `{stage}`; choose one of the library")]
    NoSuchStage {
        /// Name of the stage.
        stage: String,
    },
    /// The group has no such input or output.
    #[error("`{group}` has no {} `{port}`; it was removed or renamed", word(*.side))]
    NoSuchPort {
        /// Name of the group.
        group: String,
        /// Whether an input or an output is missing.
        side: Side,
        /// Name of the port.
        port: String,
    },
    /// A wire ends at an input that its node does not have.
    #[error("the node has no input `{port}`; remove the wire")]
    NoSuchInput {
        /// Name of the input.
        port: String,
    },
    /// A wire comes from an output that no node has.
    #[error("the wire comes from `{link}`, which is not an output of a node")]
    NoSuchOutput {
        /// What the wire reads.
        link: Link,
    },
    /// The node has no value of this name that a group's parameter could set.
    #[error("`{node}` has no parameter `{param}`; choose one that it has")]
    NoSuchParam {
        /// Name of the node, inside the group.
        node: String,
        /// Name of the parameter.
        param: String,
    },
    /// The group exposes no parameter of this name.
    #[error("`{group}` has no parameter `{param}`")]
    NotExposed {
        /// Name of the group.
        group: String,
        /// Name of the parameter.
        param: String,
    },
    /// A parameter of the group already sets this value.
    #[error("`{target}` is already exposed as `{param}`; hide that first")]
    AlreadyExposed {
        /// The value, as `node.param` inside the group.
        target: Link,
        /// The group's parameter that sets it.
        param: String,
    },
    /// The text is not the name of a node.
    #[error(
        "`{name}` is not a valid node name; it must not be empty, `in` or `out`, nor contain `.` or `/`, nor begin or end with a blank"
    )]
    BadNodeName {
        /// The text.
        name: String,
    },
    /// The text is not the name of an input, an output or a parameter.
    #[error(
        "`{name}` is not a valid port name; it must not be empty, `in` or `out`, nor contain `.` or `/`, nor begin or end with a blank"
    )]
    BadPortName {
        /// The text.
        name: String,
    },
    /// Another node of the level has the name.
    #[error("there is already a node `{name}`; choose another name")]
    NodeNameTaken {
        /// The name.
        name: String,
    },
    /// Another input, output or parameter of the group has the name, or the name is `iterations` or `until`.
    #[error("`{group}` already uses the name `{name}`; choose another name")]
    PortNameTaken {
        /// Name of the group.
        group: String,
        /// The name.
        name: String,
    },
    /// A number with this name would hide the group's input of the same name from expressions.
    #[error("in expressions here `{name}` is the group's input; choose another name")]
    HidesInput {
        /// The name.
        name: String,
    },
    /// Expressions use the number, and the new name is not one that they can use.
    #[error(
        "an expression of `{node}` uses `{old}`, and expressions cannot use the name `{new}`; use letters, digits and _"
    )]
    NotForExpressions {
        /// A node with such an expression.
        node: String,
        /// The number's present name.
        old: String,
        /// The name that expressions cannot use.
        new: String,
    },
    /// Expressions inside the group use the input, and the new name has another meaning there.
    #[error("expressions inside use `{old}`, and `{new}` means something else there; choose another name")]
    OtherMeaning {
        /// The input's present name.
        old: String,
        /// The name with another meaning.
        new: String,
    },
    /// An expression inside the group uses the input that is to be removed.
    #[error("an expression of `{node}` uses `{port}`; change it first")]
    UsedInExpression {
        /// Name of the node inside the group.
        node: String,
        /// Name of the input.
        port: String,
    },
    /// The parameter is set to an expression with a number that the nodes inside the group cannot use.
    #[error(
        "`{param}` is set to an expression that uses `{number}`, which is not available inside `{group}`; set it to a number first"
    )]
    NumberOutside {
        /// Name of the group's parameter.
        param: String,
        /// The number that its expression uses.
        number: String,
        /// Name of the group.
        group: String,
    },
    /// Expressions inside the group use an input, and cannot use the name of the number that it reads.
    #[error(
        "expressions in `{group}` use its input `{input}`, which is connected to `{link}`, a name that they cannot use; rename `{number}` first"
    )]
    InputFromUnusableName {
        /// Name of the group.
        group: String,
        /// Name of the input.
        input: String,
        /// The wire that the input reads, as `node.port`.
        link: String,
        /// Name of the number at the other end of the wire.
        number: String,
    },
    /// The input reads no wire.
    #[error("`{}.{}` is not connected", .end.node, .end.port)]
    NotConnected {
        /// The input.
        end: InputEnd,
    },
    /// The wire already begins or ends at the node that is to be inserted into it.
    #[error("that wire already ends at `{node}`")]
    WireOfNode {
        /// Name of the node.
        node: String,
    },
    /// A cycle without a State would appear.
    #[error("`{node}` in that wire would make a cycle; add a State to the cycle first")]
    Cycle {
        /// Name of the node that is to be inserted into a wire.
        node: String,
    },
    /// The wire and the port have different types.
    #[error("{cause}; {remedy}")]
    DoesNotFit {
        /// Why the port does not take the wire.
        cause: String,
        /// What to do about it.
        remedy: String,
    },
    /// The node has no unconnected input that takes the wire.
    #[error("`{node}` has no free input that takes {}", wire_of(*.ty))]
    NoFreeInput {
        /// Name of the node.
        node: String,
        /// Type of the wire, where it is known.
        ty: Option<PortType>,
    },
    /// The node has no output that the input at the end of the wire takes.
    #[error("no output of `{node}` gives {}", read_type(*.ty))]
    NoFittingOutput {
        /// Name of the node.
        node: String,
        /// Type of the input, where it is known.
        ty: Option<PortType>,
    },
    /// Inputs are added to a group, and no group is open.
    #[error("only a group has inputs; the document itself has none")]
    RootHasNoInputs,
    /// Inputs and outputs to change are those of a group, and no group is open.
    #[error("the graph itself has no inputs and outputs; open a group")]
    RootHasNoPorts,
    /// The node is a stage, or a group of the library, which cannot be changed in place.
    #[error("`{node}` is a library group or a stage; make a local copy first")]
    NotLocal {
        /// Name of the node.
        node: String,
    },
    /// The graph holds the stage or group already, so there is nothing to copy from the library.
    #[error("`{node}` is already stored in this graph and can be edited as it is")]
    AlreadyLocal {
        /// Name of the node.
        node: String,
    },
    /// The node is not a group, and only groups have parameters that are exposed from inside.
    #[error("`{node}` is not a group, so it cannot expose anything")]
    CannotExpose {
        /// Name of the node.
        node: String,
    },
    /// The node is not a group, and only groups can be ungrouped.
    #[error("`{node}` is not a group, so it cannot be ungrouped")]
    CannotUngroup {
        /// Name of the node.
        node: String,
    },
    /// The node is neither a stage nor a group, which alone can run several times a frame.
    #[error("`{node}` cannot have iterations; stages and groups can")]
    CannotIterate {
        /// Name of the node.
        node: String,
    },
    /// The node is neither a stage nor a group, which alone can be replaced.
    #[error("`{node}` cannot be replaced; only stages and groups can")]
    CannotReplace {
        /// Name of the node.
        node: String,
    },
    /// A group that runs several times a frame cannot be ungrouped.
    #[error("`{node}` has iterations; remove its iterations first")]
    HasIterations {
        /// Name of the group.
        node: String,
    },
    /// A bypassed group cannot be ungrouped.
    #[error("`{node}` is bypassed; turn off its bypass first")]
    Bypassed {
        /// Name of the group.
        node: String,
    },
    /// The selection holds no node that can move into a group.
    #[error("domains, and numbers that other nodes read, cannot be grouped; select nodes that run")]
    NothingToGroup,
    /// Nodes outside the new group read its outputs and feed its inputs.
    #[error("the group would depend on its own output through {}; select these too, or fewer nodes", list(.nodes))]
    DependsOnItself {
        /// Names of the nodes outside.
        nodes: Vec<String>,
    },
    /// A stage among the selected nodes reads `substep`, which has another meaning in a new group.
    #[error("one of the stages uses `substep`, which would count the iterations of the new group; do not select it")]
    SubstepInSelection,
    /// A stage in the group reads `substep`, which has another meaning outside it.
    #[error("a stage in `{group}` uses `substep`, which would count the iterations of another group; keep the group")]
    SubstepInGroup {
        /// Name of the group.
        group: String,
    },
    /// A variant replaces the wires, the stage or the bypass of a node that would move over the border of a group.
    #[error(
        "variant `{variant}` has its own wires, stage or bypass of `{node}`, and a group has the same border in all variants; remove that from the variant first, or choose another variant"
    )]
    ReplacedByVariant {
        /// Name of the variant.
        variant: String,
        /// Path of the node.
        node: String,
    },
    /// The edit would break a graph that runs.
    #[error("the graph would no longer run: {problem}")]
    WouldNotRun {
        /// The first error of the graph after the edit.
        problem: Box<Problem>,
    },
    /// The text is not a graph file.
    #[error("the clipboard does not hold nodes: {error}; copy nodes first")]
    CannotPaste {
        /// Why the text cannot be read.
        error: ReadError,
    },
    /// The clipboard holds no nodes and no comment frames to insert.
    #[error("the clipboard does not hold nodes; copy nodes first")]
    NothingToPaste,
}

/// Names for a message, with separators.
fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn word(side: Side) -> &'static str {
    match side {
        Side::In => "input",
        Side::Out => "output",
    }
}

fn wire_of(ty: Option<PortType>) -> String {
    ty.map_or_else(|| "that wire".into(), |ty| format!("a wire of {ty}"))
}

fn read_type(ty: Option<PortType>) -> String {
    ty.map_or_else(|| "what is read there".into(), |ty| ty.to_string())
}

/// The sentence, for callers that only show it.
impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        refusal.to_string()
    }
}
