import { Alert, Button, Group, VisuallyHidden } from '@mantine/core';
import { TriangleAlertIcon, RotateCwIcon, Volume2Icon } from 'lucide-react';
import { Composer } from './composer.tsx';
import { Controls } from './controls.tsx';
import classes from './call-desk.module.css';
import { Presence } from './presence.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';
import { ToolRequest } from './tool-request.tsx';
import { Transcript } from './transcript.tsx';

export interface CallView {
  call: TalkCall;
  state: TalkState;
  /** Name of the agent. */
  partnerName: string;
}

/**
 * A live call: state of the agent, conversation and controls. Fills the height of its parent; stacks its parts if it is
 * narrow.
 */
export function CallDesk({ call, state, partnerName }: CallView) {
  const waiting = state.invocations.filter(({ outcome }) => outcome === 'waiting');
  return (
    <div className={classes.frame}>
      <div className={classes.call}>
        <Presence call={call} state={state} className={classes.presence} />
        <section className={classes.conversation} aria-label="Conversation">
          <Notices call={call} state={state} />
          <Transcript state={state} partnerName={partnerName} />
          {waiting.map((invocation) => (
            <ToolRequest key={invocation.id} call={call} invocation={invocation} />
          ))}
          <Composer onSay={(text) => call.say(text)} />
        </section>
        <Controls call={call} state={state} className={classes.controls} />
      </div>
    </div>
  );
}

function Notices({ call, state }: { call: TalkCall; state: TalkState }) {
  return (
    <>
      <VisuallyHidden role="status">
        {state.isReconnecting ? 'The connection was lost; reconnecting.' : 'Connected.'}
      </VisuallyHidden>
      {state.isReconnecting && (
        <Alert color="yellow" icon={<RotateCwIcon />} title="Reconnecting…">
          The connection was lost; reconnecting. Messages that you write now are sent afterwards.
        </Alert>
      )}
      {state.isAudioBlocked && (
        <Alert color="yellow" icon={<Volume2Icon />} title="The browser blocks audio">
          <Group justify="space-between">
            It requires a click before it plays audio.
            <Button size="xs" onClick={() => void call.resumeAudio()}>
              Play the agent
            </Button>
          </Group>
        </Alert>
      )}
      {state.notice !== null && (
        <Alert
          color="red"
          icon={<TriangleAlertIcon />}
          role="alert"
          withCloseButton
          closeButtonLabel="Dismiss"
          onClose={() => call.dismissNotice()}
        >
          {state.notice}
        </Alert>
      )}
    </>
  );
}
