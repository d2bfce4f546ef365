import { useParams } from 'react-router';
import { ApiProblem } from '../../api/api-problem.ts';
import { ErrorState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { RouteLoading } from '../../shell/route-states.tsx';
import { AnalysisSection } from './call/analysis-section.tsx';
import { CallActions } from './call/call-actions.tsx';
import { CallFacts } from './call/call-facts.tsx';
import { CallNotices } from './call/call-notices.tsx';
import { CallRecord } from './call/call-record.tsx';
import classes from './call/call.module.css';
import { DeletedCall } from './call/deleted-call.tsx';
import { LivePanel } from './call/live-panel.tsx';
import { useCall } from './call/use-call.ts';
import { CallStateBadge } from './call-cells.tsx';
import { callTitle } from './call-labels.ts';

export function Component() {
  const { callId = '' } = useParams();
  return <CallPage key={callId} callId={callId} />;
}

function CallPage({ callId }: { callId: string }) {
  const { data: call, error, refetch } = useCall(callId);
  const isGone = error instanceof ApiProblem && error.status === 404;
  if (isGone) return <DeletedCall callId={callId} error={error} />;
  if (!call) {
    return error ? (
      <Page title="Call" back={{ to: '/calls', label: 'Calls' }}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    ) : (
      <RouteLoading />
    );
  }
  return (
    <Page
      title={callTitle(call)}
      back={{ to: '/calls', label: 'Calls' }}
      aside={<CallStateBadge call={call} />}
      // The long summary is shown below.
      description={call.summary === null ? (call.shortSummary ?? undefined) : undefined}
      actions={<CallActions call={call} />}
    >
      <div className={classes.call}>
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        <CallFacts call={call} />
        {call.ended === null && <LivePanel call={call} />}
        <CallNotices call={call} />
        {call.analysis && <AnalysisSection callId={callId} analysis={call.analysis} />}
        <CallRecord call={call} />
      </div>
    </Page>
  );
}
