import { Skeleton, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/client.ts';
import { Copyable } from '../../../components/copyable.tsx';
import { Facts, Section } from '../../../components/layout.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { ChangeList } from '../../agents/versions/change-view.tsx';
import { stageEntries, type StageEntry } from './stages.ts';
import { clockText } from './timeline/timeline-scale.ts';
import { useCallStages } from './use-call.ts';

/** The stages of a call: when and why each began, and what changed. */
export function StagesPanel(props: { call: Schemas['Call']; events: readonly Schemas['CallEvent'][] }) {
  const { call, events } = props;
  const { items: stages, error, retry } = useCallStages(call);
  if (!stages) {
    return error ? <ErrorState error={error} onRetry={retry} /> : <Skeleton height={240} radius="lg" />;
  }
  return (
    <Stack>
      {stageEntries(stages, events).map((entry, index) => (
        <StageSection key={entry.stage.callStageId} entry={entry} number={index + 1} />
      ))}
    </Stack>
  );
}

function StageSection({ entry, number }: { entry: StageEntry; number: number }) {
  const { stage, beganMs, toolName, changes } = entry;
  const { initialTokenCount: first, latestTokenCount: last, errorCount } = stage;
  return (
    <Section title={`Stage ${number}`}>
      <Stack>
        <Facts
          facts={[
            ['When', beganMs === null ? 'Not known yet' : `at ${clockText(beganMs, true)}`],
            ['Why', number === 1 ? 'The call started' : <Reason toolName={toolName} />],
            first === null
              ? null
              : [
                  'Tokens',
                  `${first.toLocaleString()} in the first request, ${(last ?? first).toLocaleString()} in the last`,
                ],
            errorCount === 0 ? null : ['Errors', errorCount.toLocaleString()],
            ['Stage id', <Copyable text={stage.callStageId} short what="stage id" />],
          ]}
        />
        {changes.length > 0 && <ChangeList changes={changes} />}
        {number > 1 && changes.length === 0 && (
          <Text fz="sm" c="dimmed">
            This stage has the same settings as the previous one.
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Reason({ toolName }: { toolName: string | null }) {
  if (toolName === null) return 'A tool started it';
  return (
    <>
      The tool <span className="mono">{toolName}</span> began it
    </>
  );
}
