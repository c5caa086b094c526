import { expect, test } from "vitest";
import { edgePath, layoutGraph, NODE_HEIGHT, type Point } from "./graph-layout";

const PANEL = { width: 1200, height: 160 };
const link = (text: string) => {
  const [source = "", target = ""] = text.split(">");
  return { source, target };
};

test("layoutGraph puts every play as far left as its dependencies allow", () => {
  const links = ["a>b", "b>c", "c>d", "a>late", "late>d"].map(link);
  const { nodes } = layoutGraph(["a", "b", "c", "d", "late"], links, PANEL);
  expect(nodes.get("late")?.x).toBe(nodes.get("b")?.x);
  expect(nodes.get("d")?.x).toBeGreaterThan(nodes.get("c")?.x ?? 0);
});

test("layoutGraph routes edges around nodes", () => {
  const links = ["a>b", "b>c", "c>d", "a>d", "a>c"].map(link);
  const { nodes, edges, nodeWidth } = layoutGraph(["a", "b", "c", "d"], links, PANEL);
  links.forEach(({ source, target }, index) => {
    for (const [name, corner] of nodes) {
      if (name === source || name === target) continue;
      const inside = ({ x, y }: Point): boolean =>
        x > corner.x && x < corner.x + nodeWidth && y > corner.y && y < corner.y + NODE_HEIGHT;
      expect(edges[index]?.some(inside)).toBe(false);
    }
  });
  expect(edges.every((points) => points.length >= 2)).toBe(true);
});

test("layoutGraph uses the width of the panel", () => {
  const { nodes, nodeWidth } = layoutGraph(["a", "b", "c"], ["a>b", "b>c"].map(link), PANEL);
  const columns = [...nodes.values()].map(({ x }) => x);
  expect(Math.max(...columns) + nodeWidth - Math.min(...columns)).toBeGreaterThan(600);
  expect(layoutGraph(["a-very-long-name-of-a-play"], [], PANEL).nodeWidth).toBeGreaterThan(nodeWidth);
});

test("layoutGraph survives a cycle and an unknown name", () => {
  const { nodes, edges } = layoutGraph(["a", "b"], ["a>b", "b>a", "a>gone"].map(link), PANEL);
  expect(nodes.size).toBe(2);
  expect(edges[2]).toEqual([]);
});

test("edgePath is empty without points, and a curve between heights", () => {
  expect(edgePath([])).toBe("");
  expect(
    edgePath([
      { x: 0, y: 0 },
      { x: 10, y: 0 },
    ]),
  ).toBe("M0,0 L10,0");
  expect(
    edgePath([
      { x: 0, y: 0 },
      { x: 10, y: 6 },
    ]),
  ).toBe("M0,0 C5,0 5,6 10,6");
});
