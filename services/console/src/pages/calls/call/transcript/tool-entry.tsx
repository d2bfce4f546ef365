import { Anchor, Text } from '@mantine/core';
import { ChevronDownIcon, WrenchIcon } from 'lucide-react';
import { JsonView } from '../../../../components/copyable.tsx';
import { Details } from '../../../../components/details.tsx';
import { durationText } from '../../../../components/time-format.ts';
import type { RetrievedPassage, ToolUse } from './transcript-entries.ts';
import classes from './transcript.module.css';

/** A tool call: its result when collapsed; also its parameters and output when expanded. */
export function ToolEntry({ use }: { use: ToolUse }) {
  const { answer } = use;
  const isFailed = answer !== null && answer.error !== null;
  return (
    <Details
      className={classes.fold}
      summary={
        <>
          <WrenchIcon size={15} className={classes.tool} />
          <Text span className="mono" fw={550}>
            {use.name}
          </Text>
          <Text
            span
            fz="xs"
            c={isFailed ? undefined : 'dimmed'}
            className={isFailed ? classes.failed : undefined}
          >
            {outcomeText(use)}
          </Text>
          <ChevronDownIcon size={15} />
        </>
      }
    >
      {(isOpen) => (
        <div>
          <Label>Arguments</Label>
          <JsonView value={parsed(use.arguments)} maxHeight="14rem" hasCopy={isOpen} />
          {use.passages && <Passages passages={use.passages} />}
          {answer && (
            <>
              <Label>{isFailed ? 'Error' : 'Result'}</Label>
              {isFailed && (
                <Text fz="sm" className={classes.failed}>
                  {answer.error}
                </Text>
              )}
              {answer.text !== '' && (
                <JsonView value={parsed(answer.text)} maxHeight="14rem" hasCopy={isOpen} />
              )}
              {!isFailed && answer.text === '' && (
                <Text fz="sm" c="dimmed">
                  Nothing
                </Text>
              )}
            </>
          )}
          {answer?.callState != null && (
            <>
              <Label>State of the call afterwards</Label>
              <JsonView value={answer.callState} maxHeight="14rem" hasCopy={isOpen} />
            </>
          )}
        </div>
      )}
    </Details>
  );
}

function Passages({ passages }: { passages: readonly RetrievedPassage[] }) {
  return (
    <>
      <Label>Passages</Label>
      <ol className={classes.passages} aria-label="Passages">
        {passages.map(({ title, url, score, excerpt }, index) => (
          <li key={index}>
            <Text span fz="sm" fw={550}>
              {url === null ? (
                title
              ) : (
                <Anchor href={url} target="_blank" rel="noreferrer" className="link" inherit>
                  {title}
                </Anchor>
              )}
            </Text>{' '}
            <Text span fz="xs" c="dimmed" className="numbers">
              score {score.toFixed(2)}
            </Text>
            <Text fz="sm" lineClamp={2}>
              {excerpt}
            </Text>
          </li>
        ))}
      </ol>
    </>
  );
}

function Label({ children }: { children: string }) {
  return (
    <Text fz="xs" c="dimmed" fw={550} mt={4}>
      {children}
    </Text>
  );
}

function outcomeText({ startMs, answer }: ToolUse): string {
  if (answer === null) return 'no answer';
  const took = durationText(Math.max(0, answer.endMs - startMs));
  return answer.error === null ? `answered after ${took}` : `failed after ${took}`;
}

/** Parses JSON text; returns other text unchanged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
