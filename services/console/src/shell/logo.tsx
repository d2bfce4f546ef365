import { Group, Text } from '@mantine/core';

export function Logo() {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#0f6f66" />
        <path
          d="M8 13.5v5M13.3 9v14M18.7 11.5v9M24 14.5v3"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
        />
      </svg>
      <Text component="span" fw={650} fz="lg" lts="-0.01em">
        Calls
      </Text>
    </Group>
  );
}
