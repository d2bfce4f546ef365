import { UnstyledButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ClockIcon, EarOffIcon, PhoneForwardedIcon, TriangleAlertIcon } from 'lucide-react';
import { durationText } from '../../../../components/time-format.ts';
import { usePlayback, type Playback } from '../recording/playback.ts';
import { clockText } from '../timeline/timeline-scale.ts';
import { ToolEntry } from './tool-entry.tsx';
import { currentKey, type Note, type TranscriptEntry, type Utterance } from './transcript-entries.ts';
import classes from './transcript.module.css';

/** How long automatic scrolling pauses after the reader scrolls. */
const SCROLL_PAUSE_MS = 4000;
/** A reader this close to the end follows new messages. */
const NEAR_END_PX = 160;

/**
 * Messages and tool calls in chronological order. Follows the replay: marks the message at the playback position and
 * scrolls it into view. Selecting a message seeks to it.
 */
export function Transcript(props: {
  entries: readonly TranscriptEntry[];
  playback: Playback;
  /** Whether playback can seek to a message. */
  seeks: boolean;
  /** Whether the call is live. */
  isGrowing: boolean;
}) {
  const { entries, playback, seeks, isGrowing } = props;
  const current = usePlayback(playback, ({ positionMs, isPlaying }) =>
    positionMs === 0 && !isPlaying ? null : currentKey(entries, positionMs),
  );
  const listRef = useRef<HTMLOListElement>(null);
  useBringIntoView(listRef, current);
  useStayAtEnd(entries.length, isGrowing);
  const seek = (toMs: number): void => {
    playback.seek(toMs);
    playback.play();
  };
  return (
    <ol ref={listRef} className={classes.list} aria-label="Transcript">
      {entries.map((entry) => {
        switch (entry.kind) {
          case 'utterance':
            return (
              <UtteranceEntry
                key={entry.key}
                entry={entry}
                isCurrent={entry.key === current}
                onSeek={seeks && entry.byVoice ? seek : null}
              />
            );
          case 'tool':
            return (
              <li key={entry.key} className={classes.entry}>
                <Time ms={entry.startMs} />
                <ToolEntry use={entry} />
              </li>
            );
          case 'stage':
            return (
              <li key={entry.key} className={classes.stage}>
                Stage {entry.number} begins
              </li>
            );
          case 'whisper':
            return (
              <li key={entry.key} className={classes.entry}>
                <Time ms={entry.startMs} />
                <div>
                  <div className={classes.who}>
                    <b>Instruction to the agent</b>
                  </div>
                  <p className={entry.text === '' ? `${classes.text} ${classes.unstored}` : classes.text}>
                    {entry.text === '' ? 'Text not stored' : entry.text}
                  </p>
                </div>
              </li>
            );
          case 'note':
            return <NoteEntry key={entry.key} note={entry} />;
        }
      })}
    </ol>
  );
}

function UtteranceEntry(props: {
  entry: Utterance;
  isCurrent: boolean;
  onSeek: ((toMs: number) => void) | null;
}) {
  const { entry, isCurrent, onSeek } = props;
  const { speaker, startMs, text } = entry;
  const seek = (): void => {
    // Selecting text to copy it must not seek.
    if (window.getSelection()?.isCollapsed !== false) onSeek?.(startMs);
  };
  return (
    <li
      className={classes.entry}
      data-speaker={speaker}
      data-current={isCurrent}
      data-seeks={onSeek !== null}
      aria-current={isCurrent || undefined}
      onClick={seek}
    >
      {onSeek ? (
        <UnstyledButton className={classes.time} aria-label={`Play from ${clockText(startMs)}`}>
          {clockText(startMs)}
        </UnstyledButton>
      ) : (
        <Time ms={startMs} />
      )}
      <div>
        <div className={classes.who}>
          <b data-speaker={speaker}>{speaker === 'user' ? 'User' : 'Agent'}</b>
          {!entry.byVoice && <span>by text</span>}
          {entry.answeredAfterMs !== null && <span>after {durationText(entry.answeredAfterMs)}</span>}
          {entry.isInterrupted && <span className={classes.cut}>interrupted; only this part was played</span>}
        </div>
        {text === '' ? (
          <p className={`${classes.text} ${classes.unstored}`}>Text not stored</p>
        ) : (
          <p className={classes.text}>
            {text}
            {entry.isInterrupted && <span className={classes.cut}> —</span>}
          </p>
        )}
      </div>
    </li>
  );
}

function NoteEntry({ note }: { note: Note }) {
  return (
    <li className={classes.entry}>
      <Time ms={note.startMs} />
      <div className={classes.note} data-severity={note.severity}>
        <NoteIcon note={note} />
        <span>
          {note.text} <span className="mono">{note.type}</span>
        </span>
      </div>
    </li>
  );
}

function NoteIcon({ note: { type, severity } }: { note: Note }) {
  if (type === 'speech_dismissed') return <EarOffIcon size={16} />;
  if (severity !== 'info') return <TriangleAlertIcon size={16} />;
  return type.startsWith('warm_transfer_') ? <PhoneForwardedIcon size={16} /> : <ClockIcon size={16} />;
}

function Time({ ms }: { ms: number }) {
  return <span className={classes.time}>{clockText(ms)}</span>;
}

function useBringIntoView(listRef: { readonly current: HTMLElement | null }, current: string | null): void {
  const pausedUntilMs = useRef(0);
  useEffect(() => {
    const onHand = (): void => {
      pausedUntilMs.current = performance.now() + SCROLL_PAUSE_MS;
    };
    window.addEventListener('wheel', onHand, { passive: true });
    window.addEventListener('touchmove', onHand, { passive: true });
    return () => {
      window.removeEventListener('wheel', onHand);
      window.removeEventListener('touchmove', onHand);
    };
  }, []);
  useEffect(() => {
    if (current === null || performance.now() < pausedUntilMs.current) return;
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    listRef.current
      ?.querySelector('[data-current="true"]')
      ?.scrollIntoView({ block: 'nearest', behavior: isStill ? 'auto' : 'smooth' });
  }, [current, listRef]);
}

/** Follows a growing transcript only if the reader is at its end. */
function useStayAtEnd(count: number, isGrowing: boolean): void {
  const isAtEnd = useRef(false);
  useEffect(() => {
    const onScroll = (): void => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current =
        window.scrollY > 0 && window.scrollY + window.innerHeight > scrollHeight - NEAR_END_PX;
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isGrowing && isAtEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight });
  }, [count, isGrowing]);
}
