// The layout of the dependency graph: ranks by the longest path from the start, edges that pass between nodes.
import dagre from "@dagrejs/dagre";

export const NODE_HEIGHT = 30;
const MIN_WIDTH = 120;
const MAX_WIDTH = 260;
const CHAR_WIDTH = 7.2; // of the node's font, on average
const RANK_GAP = 36;
const MAX_RANK_GAP = 150;

export interface Point {
  x: number;
  y: number;
}

export interface GraphLayout {
  /** The same for all nodes. */
  nodeWidth: number;
  /** The top left corner of each node. */
  nodes: ReadonlyMap<string, Point>;
  /** The points of each edge, by its place in the list. */
  edges: Point[][];
}

interface Link {
  source: string;
  target: string;
}

/** Lays the graph out; `panel` is the size that it should fill. */
export function layoutGraph(
  names: readonly string[],
  links: readonly Link[],
  panel: { width: number; height: number },
) {
  const longest = Math.max(0, ...names.map((name) => name.length));
  const nodeWidth = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest * CHAR_WIDTH + 36)));
  const first = place(names, links, nodeWidth, RANK_GAP);
  const columns = Math.round((first.width + RANK_GAP) / (nodeWidth + RANK_GAP));
  const zoom = Math.min(1, panel.height / Math.max(1, first.height));
  const free = (panel.width / zoom - columns * nodeWidth) / Math.max(1, columns - 1);
  const gap = Math.min(MAX_RANK_GAP, Math.max(RANK_GAP, free));
  const { nodes, edges } = gap > RANK_GAP ? place(names, links, nodeWidth, gap) : first;
  return { nodeWidth, nodes, edges } satisfies GraphLayout;
}

function place(names: readonly string[], links: readonly Link[], nodeWidth: number, gap: number) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 8, edgesep: 8, ranksep: gap, ranker: longestPath } as object);
  for (const name of names) graph.setNode(name, { width: nodeWidth, height: NODE_HEIGHT });
  links.forEach(({ source, target }, index) => {
    if (graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target, {}, String(index));
  });
  dagre.layout(graph);
  const corner = (name: string): Point => {
    const { x, y } = graph.node(name);
    return { x: x - nodeWidth / 2, y: y - NODE_HEIGHT / 2 };
  };
  const pointsOf = ({ source, target }: Link, index: number): Point[] =>
    (graph.edge(source, target, String(index))?.points as Point[] | undefined) ?? [];
  const { width = 0, height = 0 } = graph.graph();
  return { nodes: new Map(names.map((name) => [name, corner(name)])), edges: links.map(pointsOf), width, height };
}

/** A play is as far left as its dependencies allow. dagre calls it with a graph without cycles. */
function longestPath(graph: InstanceType<typeof dagre.graphlib.Graph>): void {
  const ranks = new Map<string, number>();
  const rankOf = (name: string): number => {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    ranks.set(name, 0);
    const before = (graph.inEdges(name) ?? []).map(
      (edge) => rankOf(edge.v) + ((graph.edge(edge) as { minlen?: number }).minlen ?? 1),
    );
    const rank = Math.max(0, ...before);
    ranks.set(name, rank);
    return rank;
  };
  for (const name of graph.nodes()) (graph.node(name) as { rank?: number }).rank = rankOf(name);
}

/** An SVG path through the points: lines that turn in curves. */
export function edgePath(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (!start || rest.length === 0) return "";
  let path = `M${start.x},${start.y}`;
  let from = start;
  for (const to of rest) {
    const middle = (from.x + to.x) / 2;
    path += from.y === to.y ? ` L${to.x},${to.y}` : ` C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
    from = to;
  }
  return path;
}
