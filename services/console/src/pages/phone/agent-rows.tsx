import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { AgentSelect } from '../../components/agent-select.tsx';
import type { ValueInputProps } from '../../components/fields-form.tsx';

interface AgentRow {
  agentId: string;
  toUserPattern?: string;
}

function isAgentRow(value: unknown): value is AgentRow {
  return (
    typeof value === 'object' && value !== null && 'agentId' in value && typeof value.agentId === 'string'
  );
}

/** The agents that take calls, in order, each with the numbers or users that it takes. */
export function AgentRows(props: ValueInputProps) {
  const rows = Array.isArray(props.value) ? props.value.filter(isAgentRow) : [];
  const replace = (at: number, row: AgentRow): void => props.onChange(rows.with(at, row));
  return (
    <Stack gap="xs">
      <Text fz="sm" fw={500}>
        {props.label}
      </Text>
      {rows.map(({ agentId, toUserPattern = '' }, i) => (
        <Group key={i} gap="xs" align="flex-end" wrap="nowrap">
          <AgentSelect
            label={`Agent ${i + 1}`}
            value={agentId}
            onChange={(chosen) => replace(i, { ...rows[i], agentId: chosen })}
          />
          <TextInput
            aria-label={`Called users of agent ${i + 1}`}
            placeholder="^\+4930"
            value={toUserPattern}
            onChange={(event) => {
              const pattern = event.currentTarget.value;
              replace(i, pattern === '' ? { agentId } : { agentId, toUserPattern: pattern });
            }}
          />
          <Button
            size="xs"
            variant="default"
            aria-label={`Remove agent ${i + 1}`}
            onClick={() => props.onChange(rows.toSpliced(i, 1))}
          >
            Remove
          </Button>
        </Group>
      ))}
      {props.error !== undefined && (
        <Text c="var(--mantine-color-error)" fz="xs">
          {props.error}
        </Text>
      )}
      <div>
        <Button size="xs" variant="default" onClick={() => props.onChange([...rows, { agentId: '' }])}>
          Add agent
        </Button>
      </div>
    </Stack>
  );
}
