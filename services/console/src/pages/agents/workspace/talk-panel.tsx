import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { useFormIssues } from '../../../components/form-issues.ts';
import { OtherIssues } from '../../../components/states.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { VariableFields } from '../../../components/variable-fields.tsx';
import { CallDesk } from '../../talk/call-desk.tsx';
import { EndedSummary } from '../../talk/ended-call.tsx';
import type { Partner } from '../../talk/call-request.ts';
import { StartCall } from '../../talk/start-call.tsx';
import { templateContext, templateVariables } from '../../talk/template-variables.ts';
import { Transcript } from '../../talk/transcript.tsx';
import { useExampleValues } from '../../talk/use-example-values.ts';
import { useStartChoices } from '../../talk/use-start-choices.ts';
import { useTalkCall } from '../../talk/use-talk-call.ts';
import { editable, type Template } from '../template.ts';
import classes from './talk-panel.module.css';

/** Calls the agent with the settings in the form, whether they are saved or not. */
export function TalkPanel(props: {
  /** Null if the agent is not created yet. */
  agent: Schemas['Agent'] | null;
  /** The settings in the form; null: those of the current version. */
  draft: Template | null;
  /** Whether the settings in the form are saved. */
  isSaved: boolean;
}) {
  const { agent, draft, isSaved } = props;
  const { call, state } = useTalkCall();
  const template = draft ?? editable(agent?.callTemplate ?? null);
  const variables = templateVariables(template);
  const [values, setValue] = useExampleValues(agent?.agentId ?? 'new', variables);
  const choices = useStartChoices(template);
  // The settings that the call was started with.
  const [started, setStarted] = useState<Template>(template);
  const titleId = useId();
  const isLive = state.phase === 'inCall';
  const start = (isText: boolean): void => {
    setStarted(template);
    const context = templateContext(variables, values);
    const isRecorded = choices.isRecorded ?? false;
    const partner: Partner = agent
      ? { kind: 'agent', agentId: agent.agentId, context, template: draft, isRecorded }
      : { kind: 'template', template, isRecorded };
    void call.start({ partner, microphoneId: isText ? null : choices.microphoneId });
  };
  const issues = useFormIssues(state.problem?.cause);
  const view = { call, state, partnerName: agent?.name || 'Agent' };
  return (
    <Card
      component="section"
      aria-labelledby={titleId}
      className={classes.panel}
      data-phase={state.phase}
      padding="md"
    >
      <Group justify="space-between" gap="xs">
        <Title order={2} id={titleId}>
          Talk
        </Title>
        {isLive && JSON.stringify(started) !== JSON.stringify(template) ? (
          <StatusBadge tone="warning">Changed since the call began</StatusBadge>
        ) : (
          agent && !isSaved && <StatusBadge tone="good">With unsaved changes</StatusBadge>
        )}
      </Group>
      {isLive && (
        <div className={classes.desk}>
          <CallDesk {...view} />
        </div>
      )}
      {state.phase === 'ended' && (
        <Stack gap="sm" className={classes.desk}>
          <EndedSummary state={state} onAgain={() => start(!state.hasMicrophone)}>
            <Button variant="default" onClick={() => call.reset()}>
              Change values
            </Button>
          </EndedSummary>
          {state.transcripts.length > 0 && <Transcript state={state} partnerName={view.partnerName} />}
        </Stack>
      )}
      {!isLive && state.phase !== 'ended' && (
        <StartCall choices={choices} call={call} state={state} isComplete onStart={start}>
          <Text c="dimmed" fz="sm">
            Calls use the settings in the form, also before they are saved.
            {!agent && variables.length > 0 && ' Variables are filled in when the agent is created.'}
          </Text>
          {agent && (
            <VariableFields
              legend="Example values"
              root="templateContext"
              variables={variables}
              values={values}
              onChange={setValue}
              issues={issues}
              disabled={state.phase === 'starting'}
            />
          )}
          <OtherIssues issues={issues.elsewhere(variables.map(({ path }) => `templateContext.${path}`))} />
        </StartCall>
      )}
    </Card>
  );
}
