import { Text, VisuallyHidden } from '@mantine/core';
import { useLayoutEffect, useRef, type UIEvent } from 'react';
import { ClockIcon, TriangleAlertIcon, WrenchIcon } from 'lucide-react';
import { conversationOf, type CallNote, type ConversationItem } from './conversation.ts';
import { turnText, type TalkState } from './talk-state.ts';
import classes from './transcript.module.css';

/** A reader this close to the end follows new messages. */
const AT_END_PX = 60;
/** Number of final messages that screen readers announce. */
const ANNOUNCED = 2;

/** The live transcript. Text that may change has a different style. */
export function Transcript({ state, partnerName }: { state: TalkState; partnerName: string }) {
  const items = conversationOf(state);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [items.length, state.transcripts, state.interim, state.isUserSpeaking]);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent): void => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  const nameOf = (role: 'user' | 'agent'): string => (role === 'user' ? 'You' : partnerName);
  return (
    // Focusable, because it scrolls.
    <div
      ref={frame}
      className={classes.frame}
      onScroll={onScroll}
      tabIndex={0}
      role="group"
      aria-label="Transcript"
    >
      {items.length === 0 && (
        <Text c="dimmed" m="auto" ta="center" px="md">
          {state.hasMicrophone
            ? 'Say hello. The transcript appears here.'
            : 'Write something below. The transcript appears here.'}
        </Text>
      )}
      <ol className={classes.list}>
        {items.map((item) => {
          switch (item.type) {
            case 'tool':
              return <ToolNote key={`tool ${item.tool.id}`} item={item} />;
            case 'note':
              return <NoteLine key={`note ${item.note.id}`} note={item.note} />;
            case 'utterance':
              return (
                <Utterance
                  key={item.transcript.ordinal}
                  item={item}
                  name={nameOf(item.transcript.role)}
                  isOver={state.phase === 'ended'}
                  marksWriting={state.hasMicrophone}
                />
              );
          }
        })}
        {(state.isUserSpeaking || state.interim !== '') && (
          <li className={classes.utterance} data-role="user" data-final={false} aria-hidden="true">
            <span className={classes.name}>{nameOf('user')}</span>
            <span className={classes.text}>{state.interim} …</span>
          </li>
        )}
      </ol>
      <VisuallyHidden role="log" aria-live="polite" aria-label="What was said last">
        {state.transcripts
          .filter(({ isFinal, text }) => isFinal && text.trim() !== '')
          .slice(-ANNOUNCED)
          .map(({ ordinal, role, text }) => (
            <p key={ordinal}>
              {nameOf(role)}: {text}
            </p>
          ))}
      </VisuallyHidden>
    </div>
  );
}

function Utterance(props: {
  item: Extract<ConversationItem, { type: 'utterance' }>;
  name: string;
  marksWriting: boolean;
  /** Whether the call has ended, so that the transcript no longer changes. */
  isOver: boolean;
}) {
  const { transcript, isInterrupted, tookMs } = props.item;
  const { role, text, isFinal, medium } = transcript;
  const notes = [
    tookMs !== null && `after ${turnText(tookMs)}`,
    isInterrupted && 'interrupted',
    // Marks written messages in spoken calls.
    props.marksWriting && role === 'user' && medium === 'text' && 'by text',
  ].filter((note) => note !== false);
  return (
    <li className={classes.utterance} data-role={role} data-final={isFinal || props.isOver}>
      <span className={classes.name}>{props.name}</span>
      <span className={classes.text}>
        {text}
        {!isFinal && !props.isOver && <span aria-hidden="true"> …</span>}
      </span>
      {notes.length > 0 && <span className={classes.notes}>{notes.join(' · ')}</span>}
    </li>
  );
}

function NoteLine({ note: { severity, text } }: { note: CallNote }) {
  return (
    <li className={classes.note} data-severity={severity}>
      {severity === 'info' ? <ClockIcon size={14} /> : <TriangleAlertIcon size={14} />}
      <span>{text}</span>
    </li>
  );
}

function ToolNote({ item: { tool } }: { item: Extract<ConversationItem, { type: 'tool' }> }) {
  return (
    <li className={classes.tool}>
      <WrenchIcon size={14} />
      <span>
        <span className="mono">{tool.name}</span> {tool.error === null ? 'answered' : `failed: ${tool.error}`}{' '}
        after {turnText(tool.durationMs)}
      </span>
    </li>
  );
}
