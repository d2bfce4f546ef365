import { Card, SegmentedControl } from '@mantine/core';
import { useFormIssues } from '../../components/form-issues.ts';
import { Page } from '../../components/page.tsx';
import { PartnerFields } from './partner-fields.tsx';
import { StartCall } from './start-call.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';
import type { TalkOrder } from './use-talk-order.ts';

const KINDS = [
  { value: 'agent', label: 'An agent' },
  { value: 'prompt', label: 'A quick prompt' },
] as const;

/** The form before a call: selects the agent and the microphone. */
export function TalkSetup(props: {
  order: TalkOrder;
  call: TalkCall;
  state: TalkState;
  onStart: (isText: boolean) => void;
}) {
  const { order, call, state, onStart } = props;
  const isStarting = state.phase === 'starting';
  const issues = useFormIssues(state.problem?.cause);
  return (
    <Page
      title="Talk"
      description="Talk to an agent as callers do. Calls from the console are free."
      width="narrow"
    >
      <Card padding="xl">
        <StartCall choices={order} call={call} state={state} isComplete={order.isComplete} onStart={onStart}>
          <SegmentedControl
            aria-label="Agent to talk to"
            data={[...KINDS]}
            value={order.kind}
            onChange={order.setKind}
            fullWidth
            disabled={isStarting}
          />
          <PartnerFields order={order} issues={issues} disabled={isStarting} />
        </StartCall>
      </Card>
    </Page>
  );
}
