/** The address of a run with this hash shows its changes in a window of their own. */
export const ALL_CHANGES = "all-changes";
