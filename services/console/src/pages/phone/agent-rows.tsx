import { Input, TextInput } from '@mantine/core';
import { AgentSelect } from '../../components/agent-select.tsx';
import type { ValueInputProps } from '../../components/fields-form.tsx';
import { RowsOf } from '../../components/rows.tsx';

interface AgentRow {
  agentId: string;
  toUserPattern?: string;
}

function isAgentRow(value: unknown): value is AgentRow {
  return (
    typeof value === 'object' && value !== null && 'agentId' in value && typeof value.agentId === 'string'
  );
}

/** The agents that accept calls, in order, each with its numbers or users. */
export function AgentRows({ label, value, onChange, error }: ValueInputProps) {
  const rows = Array.isArray(value) ? value.filter(isAgentRow) : [];
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <RowsOf<AgentRow>
        items={rows}
        onChange={onChange}
        what="agent"
        added={{ agentId: '' }}
        row={({ agentId, toUserPattern = '' }, at) => (
          <>
            <AgentSelect
              label={`Agent ${at + 1}`}
              value={agentId}
              onChange={(chosen) => onChange(rows.with(at, { ...rows[at], agentId: chosen }))}
            />
            <TextInput
              aria-label={`Called users of agent ${at + 1}`}
              placeholder="^\+4930"
              value={toUserPattern}
              onChange={({ currentTarget: { value: pattern } }) =>
                onChange(rows.with(at, pattern === '' ? { agentId } : { agentId, toUserPattern: pattern }))
              }
            />
          </>
        )}
      />
    </Input.Wrapper>
  );
}
