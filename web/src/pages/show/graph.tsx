// The dependency graph: dagre computes the layout, React Flow draws it. Loaded only on this page.
import "@xyflow/react/dist/base.css";
import dagre from "@dagrejs/dagre";
import { type Edge, Handle, type Node, type NodeProps, Position, ReactFlow, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { Play, Show } from "@/api/shows";
import { MAX_FITTED_PLAYS } from "@/domain/shows/graph-size";
import classes from "./graph.module.css";
import type { PlayLinkProps } from "./graph-panel";

const WIDTH = 148;
const HEIGHT = 30;
type PlayNode = Node<{ play: Play; critical: boolean; marked: boolean; open: () => void }, "play">;

export default function Graph({ show, marked, hover, open }: PlayLinkProps) {
  // Names and edges only: the layout must not change with the state of a play.
  const names = show.plays.map((play) => play.name).join("\n");
  const positions = useMemo(() => layoutGraph(names.split("\n"), show.edges), [names, show.edges]);
  const path = useMemo(() => new Set(show.critical_path), [show.critical_path]);
  const nodes: PlayNode[] = show.plays.map((play) => ({
    id: play.name,
    type: "play",
    position: positions.get(play.name) ?? { x: 0, y: 0 },
    data: { play, critical: path.has(play.name), marked: play.name === marked, open: () => open(play.name) },
    width: WIDTH,
    height: HEIGHT,
  }));
  const fits = show.plays.length <= MAX_FITTED_PLAYS;
  return (
    <ReactFlow
      nodes={nodes}
      edges={toEdges(show, path)}
      nodeTypes={nodeTypes}
      onNodeMouseEnter={(_, node) => hover(node.id)}
      onNodeMouseLeave={() => hover(undefined)}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      zoomOnDoubleClick={false}
      preventScrolling={false}
      panOnDrag={!fits}
      minZoom={0.15}
      maxZoom={1.1}
      proOptions={{ hideAttribution: true }}
      {...(fits ? { fitView: true, fitViewOptions: FIT } : { defaultViewport: { x: 12, y: 12, zoom: 0.72 } })}
    >
      <FitView positions={positions} enabled={fits} />
    </ReactFlow>
  );
}

const FIT = { padding: 0.12, maxZoom: 1.1 };

/** Fits the graph into the panel after a new layout and when the window resizes. */
function FitView({ positions, enabled }: { positions: Positions; enabled: boolean }) {
  const flow = useReactFlow();
  useEffect(() => {
    if (!enabled || positions.size === 0) return;
    const fit = (): void => void flow.fitView(FIT);
    addEventListener("resize", fit);
    requestAnimationFrame(fit);
    return () => removeEventListener("resize", fit);
  }, [flow, positions, enabled]);
  return null;
}

type Positions = ReadonlyMap<string, { x: number; y: number }>;

function layoutGraph(names: string[], edges: Show["edges"]): Positions {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 8, ranksep: 34 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of names) graph.setNode(name, { width: WIDTH, height: HEIGHT });
  for (const { source, target } of edges) {
    if (graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target);
  }
  dagre.layout(graph);
  const positionOf = (name: string) => {
    const { x, y } = graph.node(name);
    return { x: x - WIDTH / 2, y: y - HEIGHT / 2 };
  };
  return new Map(names.map((name) => [name, positionOf(name)]));
}

function toEdges(show: Show, path: ReadonlySet<string>): Edge[] {
  return show.edges.map(({ source, target }) => ({
    id: `${source} ${target}`,
    source,
    target,
    focusable: false,
    className: (path.has(source) && path.has(target) ? classes.criticalEdge : classes.edge) ?? "",
  }));
}

function GraphNode({ data }: NodeProps<PlayNode>) {
  const { play, critical, marked, open } = data;
  const pill = play.badges[0];
  const blocked = play.blocked_by.length > 0 ? `, blocked by ${play.blocked_by.join(", ")}` : "";
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={classes.handle} />
      <button
        type="button"
        className={classes.node}
        data-tone={pill?.tone}
        data-critical={critical}
        data-marked={marked}
        data-play={play.name}
        onClick={open}
        aria-label={`${play.name}: ${pill?.label ?? "unknown"}${blocked}`}
        title={`${play.name} · ${play.state?.label ?? pill?.label ?? ""}${blocked}`}
      >
        <span className={classes.dot} />
        <span className={classes.nodeName}>{play.name}</span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} className={classes.handle} />
    </>
  );
}

const nodeTypes = { play: GraphNode };
