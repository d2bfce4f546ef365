import { Anchor, Input, Stack, Text, Textarea } from '@mantine/core';
import { Link } from 'react-router';
import { AgentSelect } from '../../components/agent-select.tsx';
import type { FormIssues } from '../../components/form-issues.ts';
import type { TalkSetupState } from './use-talk-setup.ts';
import { VariableFields } from '../../components/variable-fields.tsx';
import { VoiceSelect } from './voice-select.tsx';

/** Selects the agent and the values of its variables. */
export function PartnerFields(props: { setup: TalkSetupState; issues: FormIssues; disabled: boolean }) {
  const { setup, issues, disabled } = props;
  if (setup.kind === 'prompt') {
    return (
      <Stack gap="md">
        <Textarea
          label="Prompt"
          description="What the agent is, knows and does."
          autosize
          minRows={3}
          maxRows={14}
          value={setup.systemPrompt}
          onChange={(event) => setup.setSystemPrompt(event.currentTarget.value)}
          error={issues.at('systemPrompt')}
          disabled={disabled}
        />
        <VoiceSelect
          value={setup.voice}
          onChange={setup.setVoice}
          error={issues.at('voice')}
          disabled={disabled}
        />
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Input.Wrapper label="Agent" error={issues.at('agentId')}>
        <AgentSelect label="Choose an agent" value={setup.agentId} onChange={setup.setAgentId} />
      </Input.Wrapper>
      <VariableFields
        legend="What this call is about"
        root="templateContext"
        variables={setup.variables}
        values={setup.values}
        onChange={setup.setValue}
        issues={issues}
        disabled={disabled}
      />
      {setup.agentId === '' && (
        <Text c="dimmed" fz="sm">
          No agent yet?{' '}
          <Link to="/agents/new" className="link">
            Create one
          </Link>
          , or{' '}
          <Anchor component="button" type="button" inherit onClick={() => setup.setKind('prompt')}>
            try a prompt
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  );
}
