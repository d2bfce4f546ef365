import { Button } from '@mantine/core';
import { MicIcon } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import { useCallsRefreshMs } from '../../api/use-call-changes.ts';
import { useList } from '../../api/use-list.ts';
import { Page } from '../../components/page.tsx';
import { ResourceTable } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CallCard, callColumns } from './call-columns.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import {
  filtersFrom,
  filtersToParams,
  isNarrowed,
  NO_FILTERS,
  queryOf,
  type CallFilters,
} from './call-filters.ts';

const PAGE_SIZE = 50;

export function Component() {
  const refreshMs = useCallsRefreshMs();
  const { filters, change, clear } = useCallFilters();
  const list = useList(
    ['calls', filters],
    (cursor) =>
      dataOf(
        api.GET('/api/calls/summaries', {
          params: { query: { ...queryOf(filters, Date.now()), ...cursor, pageSize: PAGE_SIZE } },
        }),
      ),
    { refreshMs },
  );
  return (
    <Page
      title="Calls"
      actions={
        <>
          <Button component={Link} to="/calls/deleted" variant="default">
            Deleted calls
          </Button>
          <Button component={Link} to="/talk" variant="default" leftSection={<MicIcon size={16} />}>
            Talk to an agent
          </Button>
        </>
      }
    >
      <CallFilterBar filters={filters} onChange={change} />
      <ResourceTable
        caption="Calls"
        list={list}
        columns={callColumns}
        keyOf={({ callId }) => callId}
        linkOf={({ callId }) => `/calls/${callId}`}
        card={(call) => <CallCard call={call} />}
        empty={isNarrowed(filters) ? <NothingFits onClear={clear} /> : <NoCalls />}
      />
    </Page>
  );
}

function NoCalls() {
  return (
    <EmptyState
      title="No calls yet"
      action={
        <Button component={Link} to="/talk">
          Make the first one
        </Button>
      }
    >
      Talk to an agent, or create calls with the API. Live calls are listed here, too.
    </EmptyState>
  );
}

function NothingFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      title="No call matches these filters"
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    >
      A call must match all filters. The search covers agent names, short summaries, metadata, phone numbers
      and SIP addresses.
    </EmptyState>
  );
}

/** The filters are in the URL of the page, so that a filtered list can be shared. */
function useCallFilters() {
  const [params, setParams] = useSearchParams();
  const filters = filtersFrom(params);
  const show = (next: CallFilters): void => setParams(filtersToParams(next), { replace: true });
  return {
    filters,
    change: (changed: Partial<CallFilters>) => show({ ...filtersFrom(params), ...changed }),
    clear: () => show({ ...NO_FILTERS, sort: filters.sort }),
  };
}
