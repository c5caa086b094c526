// The dependency graph: dagre computes the layout, React Flow draws it. Loaded only on this page.
import "@xyflow/react/dist/base.css";
import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { Play, Show } from "@/api/shows";
import { edgePath, type GraphLayout, layoutGraph, NODE_HEIGHT, type Point } from "@/domain/shows/graph-layout";
import { graphHeight, MAX_FITTED_PLAYS } from "@/domain/shows/graph-size";
import classes from "./graph.module.css";
import type { PlayLinkProps } from "./graph-panel";

type PlayNode = Node<{ play: Play; critical: boolean; marked: boolean; open: () => void }, "play">;
type RoutedEdge = Edge<{ points: Point[] }, "routed">;

export default function Graph({ show, width, marked, hover, open }: PlayLinkProps & { width: number }) {
  // Names and edges only: the layout must not change with the state of a play.
  const names = show.plays.map((play) => play.name).join("\n");
  const edges = JSON.stringify(show.edges);
  const layout = useMemo(() => {
    const listed = names.split("\n");
    const panel = { width: width * (1 - 2 * PADDING), height: graphHeight(listed.length) * (1 - 2 * PADDING) };
    return layoutGraph(listed, JSON.parse(edges) as Show["edges"], panel);
  }, [names, edges, width]);
  const path = show.critical_path;
  const nodes: PlayNode[] = show.plays.map((play) => ({
    id: play.name,
    type: "play",
    position: layout.nodes.get(play.name) ?? { x: 0, y: 0 },
    data: { play, critical: path.includes(play.name), marked: play.name === marked, open: () => open(play.name) },
    width: layout.nodeWidth,
    height: NODE_HEIGHT,
  }));
  const fits = show.plays.length <= MAX_FITTED_PLAYS;
  return (
    <ReactFlow
      nodes={nodes}
      edges={toEdges(show, layout)}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
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
      <FitView layout={layout} enabled={fits} />
    </ReactFlow>
  );
}

const PADDING = 0.04;
const FIT = { padding: PADDING, maxZoom: 1.1 };

/** Fits the graph into the panel after a new layout and when the window resizes. */
function FitView({ layout, enabled }: { layout: GraphLayout; enabled: boolean }) {
  const flow = useReactFlow();
  useEffect(() => {
    if (!enabled || layout.nodes.size === 0) return;
    const fit = (): void => void flow.fitView(FIT);
    addEventListener("resize", fit);
    requestAnimationFrame(fit);
    return () => removeEventListener("resize", fit);
  }, [flow, layout, enabled]);
  return null;
}

function toEdges(show: Show, layout: GraphLayout): RoutedEdge[] {
  const path = show.critical_path;
  const isCritical = (source: string, target: string): boolean =>
    path.includes(source) && path[path.indexOf(source) + 1] === target;
  return show.edges.map(({ source, target }, index) => ({
    id: `${source} ${target}`,
    type: "routed",
    source,
    target,
    data: { points: layout.edges[index] ?? [] },
    focusable: false,
    className: (isCritical(source, target) ? classes.criticalEdge : classes.edge) ?? "",
  }));
}

function EdgeLine({ id, data }: EdgeProps<RoutedEdge>) {
  return <BaseEdge id={id} path={edgePath(data?.points ?? [])} />;
}

function GraphNode({ data }: NodeProps<PlayNode>) {
  const { play, critical, marked, open } = data;
  const pill = play.badges[0];
  const blocked = play.blocked_by.length > 0 ? `, blocked by ${play.blocked_by.join(", ")}` : "";
  const needsYou = play.badges.some(({ kind }) => kind === "person") ? ", needs you" : "";
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
        aria-label={`${play.name}: ${pill?.label ?? "unknown"}${blocked}${needsYou}`}
        title={`${play.name} · ${play.state?.label ?? pill?.label ?? ""}${blocked}${needsYou}`}
      >
        <span className={classes.dot} data-needs={needsYou !== ""} />
        <span className={classes.nodeName}>{play.name}</span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} className={classes.handle} />
    </>
  );
}

const nodeTypes = { play: GraphNode };
const edgeTypes = { routed: EdgeLine };
