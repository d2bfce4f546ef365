import type { Schemas } from '../../../api/client.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';

/** The result of the newest test run of a version. */
export function TestStatus({ run }: { run: Schemas['TestRunSummary'] | undefined }) {
  if (!run) return <StatusBadge tone="neutral">Not tested</StatusBadge>;
  const { ended, passed, scenarioCount } = run;
  if (ended === null) return <StatusBadge tone="live">Tests are running</StatusBadge>;
  return (
    <StatusBadge tone={passed === scenarioCount ? 'good' : 'bad'}>
      {passed} of {scenarioCount} tests passed
    </StatusBadge>
  );
}
