import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderApp } from "@/testing/render";
import type { Detail } from "../transcript/segments";
import { StatePopover } from "./state-popover";

test("StatePopover separates the sentence of a reason from its code", async () => {
  const reason = { code: "run.failed.provider_error", message: "The provider returned an error.", evidence: null };
  const state = { label: "failed", tone: "danger", icon: "circle", reasons: [reason] };
  const detail = { session: { state } } as unknown as Detail;
  renderApp(<StatePopover detail={detail} errors={0} goToFirstError={() => undefined} />);
  fireEvent.click(screen.getByTitle("Reasons"));
  const sentence = await screen.findByText(reason.message);
  expect(sentence.parentElement?.textContent).toBe(`${reason.message} ${reason.code}`);
});
