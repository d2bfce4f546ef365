import { Anchor, Input, Stack, Text, Textarea } from '@mantine/core';
import { Link } from 'react-router';
import { AgentSelect } from '../../components/agent-select.tsx';
import type { FormIssues } from '../../components/form-issues.ts';
import type { TalkOrder } from './use-talk-order.ts';
import { VariableFields } from '../../components/variable-fields.tsx';
import { VoiceSelect } from './voice-select.tsx';

/** Selects the agent and the values of its variables. */
export function PartnerFields(props: { order: TalkOrder; issues: FormIssues; disabled: boolean }) {
  const { order, issues, disabled } = props;
  if (order.kind === 'prompt') {
    return (
      <Stack gap="md">
        <Textarea
          label="Prompt"
          description="What the agent is, knows and does."
          autosize
          minRows={3}
          maxRows={14}
          value={order.systemPrompt}
          onChange={(event) => order.setSystemPrompt(event.currentTarget.value)}
          error={issues.at('systemPrompt')}
          disabled={disabled}
        />
        <VoiceSelect
          value={order.voice}
          onChange={order.setVoice}
          error={issues.at('voice')}
          disabled={disabled}
        />
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Input.Wrapper label="Agent" error={issues.at('agentId')}>
        <AgentSelect label="Choose an agent" value={order.agentId} onChange={order.setAgentId} />
      </Input.Wrapper>
      <VariableFields
        legend="What this call is about"
        root="templateContext"
        variables={order.variables}
        values={order.values}
        onChange={order.setValue}
        issues={issues}
        disabled={disabled}
      />
      {order.agentId === '' && (
        <Text c="dimmed" fz="sm">
          No agent yet?{' '}
          <Link to="/agents/new" className="link">
            Make one
          </Link>
          , or{' '}
          <Anchor component="button" type="button" inherit onClick={() => order.setKind('prompt')}>
            try a prompt
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  );
}
