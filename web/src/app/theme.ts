// Mantine theme. Its variables point at those of theme.css, so there is one palette.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const iris: MantineColorsTuple = [
  "#f2f1fe", "#e2e0fb", "#c5c1f7", "#a9a3ff", "#8b83f0", "#7268e8", "#6258e6", "#554bd8", "#4a41c4", "#3d35a8",
]; // biome-ignore format: a scale reads best in one line

// Blue-tinted greys as in theme.css; those of Mantine are neutral.
const dark: MantineColorsTuple = [
  "#ececf1", "#c3c3cd", "#a5a5b2", "#75757f", "#3d3d47", "#2f2f37", "#202025", "#18181c", "#141417", "#0d0d10",
]; // biome-ignore format: a scale reads best in one line

export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: { light: 7, dark: 6 },
  colors: { iris, dark },
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  fontSizes: {
    xs: "var(--text-xs)",
    sm: "var(--text-s)",
    md: "var(--text-m)",
    lg: "var(--text-l)",
    xl: "var(--text-xl)",
  },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  headings: { fontFamily: "var(--sans)", fontWeight: "600" },
  defaultRadius: 6,
  spacing: { xs: "6px", sm: "10px", md: "16px", lg: "24px", xl: "32px" },
  cursorType: "pointer",
  // Plain objects: `Select.extend` would bring the whole of Select into the first load.
  components: {
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray", size: "md" } },
    Badge: { defaultProps: { variant: "light", radius: 4, tt: "none", fw: 500 } },
    Button: { defaultProps: { size: "xs", fw: 500 } },
    Menu: { defaultProps: { shadow: "md", radius: 8 } },
    Modal: {
      defaultProps: {
        closeButtonProps: { "aria-label": "Close" },
        centered: true,
        radius: 10,
        overlayProps: { backgroundOpacity: 0.4 },
      },
      styles: { title: { fontWeight: 600 } },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Select: { defaultProps: { size: "xs" } },
    TextInput: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    Tooltip: {
      defaultProps: { openDelay: 250, fz: "sm", px: 8, py: 4, multiline: true, maw: 360 },
    },
  },
});

const colors = {
  "--mantine-color-body": "var(--surface)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--dim)",
  "--mantine-color-placeholder": "var(--faint)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--line-strong)",
  "--mantine-color-error": "var(--danger)",
  "--mantine-color-red-light-color": "var(--danger)",
  "--mantine-color-gray-light-color": "var(--dim)",
  "--mantine-color-gray-light-hover": "var(--hover)",
  "--mantine-primary-color-light-color": "var(--accent)",
  "--mantine-color-iris-light-color": "var(--accent)",
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: colors, dark: colors });
