import { Text, VisuallyHidden } from '@mantine/core';
import { useLayoutEffect, useRef, type UIEvent } from 'react';
import { WrenchIcon } from 'lucide-react';
import { conversationOf, type ConversationItem } from './conversation.ts';
import { turnText, type TalkState } from './talk-state.ts';
import classes from './transcript.module.css';

/** Nearer to the end than this, one wants to see what is new. */
const AT_END_PX = 60;
/** Read out: what was said last, once it is certain. */
const ANNOUNCED = 2;

/** What is said, as it is said. What may still change looks it. */
export function Transcript({ state, partnerName }: { state: TalkState; partnerName: string }) {
  const items = conversationOf(state);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [items.length, state.transcripts]);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent): void => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  const nameOf = (role: 'user' | 'agent'): string => (role === 'user' ? 'You' : partnerName);
  return (
    // It scrolls, so the keyboard must reach it.
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
            ? 'Say hello. What is said appears here.'
            : 'Write something below. What is said appears here.'}
        </Text>
      )}
      <ol className={classes.list}>
        {items.map((item) =>
          item.type === 'tool' ? (
            <ToolNote key={`tool ${item.tool.id}`} item={item} />
          ) : (
            <Utterance
              key={item.transcript.ordinal}
              item={item}
              name={nameOf(item.transcript.role)}
              isOver={state.phase === 'ended'}
              tellsWriting={state.hasMicrophone}
            />
          ),
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
  tellsWriting: boolean;
  /** The call is: nothing changes any more. */
  isOver: boolean;
}) {
  const { transcript, isInterrupted, tookMs } = props.item;
  const { role, text, isFinal, medium } = transcript;
  const notes = [
    tookMs !== null && `after ${turnText(tookMs)}`,
    isInterrupted && 'interrupted',
    // Where one speaks, what was written is the exception.
    props.tellsWriting && role === 'user' && medium === 'text' && 'by text',
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
