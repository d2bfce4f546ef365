import { Card, SegmentedControl } from '@mantine/core';
import { useFormIssues } from '../../components/form-issues.ts';
import { Page } from '../../components/page.tsx';
import { PartnerFields } from './partner-fields.tsx';
import { StartCall } from './start-call.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';
import type { TalkSetupState } from './use-talk-setup.ts';

const KINDS = [
  { value: 'agent', label: 'An agent' },
  { value: 'prompt', label: 'A quick prompt' },
] as const;

/** The form before a call: selects the agent and the microphone. */
export function TalkSetup(props: {
  setup: TalkSetupState;
  call: TalkCall;
  state: TalkState;
  onStart: (isText: boolean) => void;
}) {
  const { setup, call, state, onStart } = props;
  const isStarting = state.phase === 'starting';
  const issues = useFormIssues(state.problem?.cause);
  return (
    <Page
      title="Talk"
      description="Talk to an agent as callers do. Calls from the console are free."
      width="narrow"
    >
      <Card padding="xl">
        <StartCall choices={setup} call={call} state={state} isComplete={setup.isComplete} onStart={onStart}>
          <SegmentedControl
            aria-label="Agent to talk to"
            data={[...KINDS]}
            value={setup.kind}
            onChange={setup.setKind}
            fullWidth
            disabled={isStarting}
          />
          <PartnerFields setup={setup} issues={issues} disabled={isStarting} />
        </StartCall>
      </Card>
    </Page>
  );
}
