import { dataOf, api, type Schemas } from '../api/client.ts';
import { NameSelect, SHOWN_NAMES } from './name-select.tsx';

/** Selects an agent of the account by name, or none (''). */
export function AgentSelect(props: {
  label: string;
  value: string;
  onChange: (agentId: string) => void;
  w?: { base: string; xs: number };
}) {
  const { label, ...rest } = props;
  return (
    <NameSelect<Schemas['Agent']>
      {...rest}
      kind="agent"
      aria-label={label}
      placeholder={label}
      idOf={({ agentId }) => agentId}
      get={(agentId) =>
        dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } }))
      }
      find={async (search) => {
        const query = { sort: 'name', pageSize: SHOWN_NAMES, ...(search !== '' && { search }) } as const;
        return (await dataOf(api.GET('/api/agents', { params: { query } }))).results;
      }}
    />
  );
}
