import { Text, Tooltip } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { MicIcon, MicOffIcon, Volume2Icon, VolumeXIcon } from 'lucide-react';
import { RunningDuration } from '../../components/time.tsx';
import { medianOf } from './conversation.ts';
import classes from './presence.module.css';
import type { TalkCall } from './talk-call.ts';
import { turnText, type TalkState } from './talk-state.ts';

/** The state of the agent, both audio levels, and the latency. */
export function Presence(props: { call: TalkCall; state: TalkState; className?: string }) {
  const { call, state } = props;
  const frame = useRef<HTMLDivElement>(null);
  // Sets CSS variables, because the levels change too often to render with React.
  useEffect(
    () =>
      call.onLevels(({ microphone, agent }) => {
        showLevel(frame.current, '--microphone', microphone);
        showLevel(frame.current, '--agent', agent);
      }),
    [call],
  );
  const shown = state.isReconnecting ? 'connecting' : state.status;
  return (
    <div ref={frame} className={`${classes.presence} ${props.className ?? ''}`} data-status={shown}>
      <div className={classes.orb} aria-hidden="true">
        <span className={classes.ring} />
        <span className={classes.core} />
      </div>
      <div className={classes.words}>
        <Text fw={600} fz="lg" component="p" m={0}>
          {statusText(state)}
        </Text>
        {state.joinedAtMs !== null && (
          <Text c="dimmed" fz="sm" component="p" m={0}>
            <RunningDuration since={new Date(state.joinedAtMs).toISOString()} />
          </Text>
        )}
      </div>
      <div className={classes.meters} aria-hidden="true">
        <Meter of="microphone" isOff={state.isMicMuted || !state.hasMicrophone} />
        <Meter of="agent" isOff={state.isSpeakerMuted} />
      </div>
      <TurnTimes turns={state.turns.map(({ tookMs }) => tookMs)} />
    </div>
  );
}

/** Skips unchanged levels, because each write makes the browser draw the page again. */
function showLevel(frame: HTMLElement | null, name: string, level: number): void {
  const text = level.toFixed(3);
  if (frame && frame.style.getPropertyValue(name) !== text) frame.style.setProperty(name, text);
}

function Meter({ of, isOff }: { of: 'microphone' | 'agent'; isOff: boolean }) {
  const isMicrophone = of === 'microphone';
  const On = isMicrophone ? MicIcon : Volume2Icon;
  const Off = isMicrophone ? MicOffIcon : VolumeXIcon;
  return (
    <div className={classes.meter} data-off={isOff}>
      {isOff ? <Off size={16} /> : <On size={16} />}
      <span className={classes.bar}>
        <span className={classes.level} data-of={of} />
      </span>
    </div>
  );
}

function TurnTimes({ turns }: { turns: readonly number[] }) {
  const median = medianOf(turns);
  const last = turns.at(-1);
  if (median === null || last === undefined) return null;
  return (
    <Tooltip
      label="From the end of your turn to the start of the response, measured in this page"
      multiline
      maw={240}
    >
      <dl className={classes.times} tabIndex={0}>
        <div>
          <dt>Last turn</dt>
          <dd>{turnText(last)}</dd>
        </div>
        <div>
          <dt>Median of {turns.length}</dt>
          <dd>{turnText(median)}</dd>
        </div>
      </dl>
    </Tooltip>
  );
}

function statusText({ status, isReconnecting, isMicMuted, hasMicrophone }: TalkState): string {
  if (isReconnecting) return 'Reconnecting…';
  switch (status) {
    case 'connecting':
      return 'Connecting…';
    case 'thinking':
      return 'Thinking…';
    case 'speaking':
      return 'Speaking';
    case 'disconnecting':
      return 'Hanging up…';
    case 'disconnected':
      return 'The call is over';
    case 'idle':
    case 'listening':
      if (!hasMicrophone) return 'Waiting for your text';
      return isMicMuted ? 'You are muted' : 'Listening';
  }
}
