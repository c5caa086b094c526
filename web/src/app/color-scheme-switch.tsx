import { SegmentedControl, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";

const SCHEMES = [
  { value: "light", name: "Light", icon: IconSun },
  { value: "dark", name: "Dark", icon: IconMoon },
  { value: "auto", name: "System", icon: IconDeviceDesktop },
] as const;

export default function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Color scheme"
      size="xs"
      fullWidth
      value={colorScheme}
      onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
      data={SCHEMES.map(({ value, name, icon: Icon }) => ({
        value,
        label: (
          <span title={name}>
            <Icon size={14} style={{ display: "block", margin: "3px auto" }} />
            <VisuallyHidden>{name}</VisuallyHidden>
          </span>
        ),
      }))}
    />
  );
}
