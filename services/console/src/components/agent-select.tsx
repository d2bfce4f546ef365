import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, asProblem } from '../api/client.ts';
import { SETTLED_MS } from './search-input.tsx';

const SHOWN_AGENTS = 50;

/** Selects an agent of the account by name, or none (''). */
export function AgentSelect(props: {
  label: string;
  value: string;
  onChange: (agentId: string) => void;
  w?: { base: string; xs: number };
}) {
  const { label, value, onChange, w } = props;
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), SETTLED_MS);
  const found = useQuery({
    queryKey: ['agents', 'names', search],
    queryFn: () =>
      answerOf(
        api.GET('/api/agents', {
          params: { query: { sort: 'name', pageSize: SHOWN_AGENTS, ...(search !== '' && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    queryKey: ['agent', value],
    queryFn: () => answerOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: value } } })),
    enabled: value !== '',
  });
  const agents = [...(found.data?.results ?? [])];
  const isListed = agents.some(({ agentId }) => agentId === value);
  if (chosen.data && !isListed) agents.unshift(chosen.data);
  const options = agents.map(({ agentId, name }) => ({ value: agentId, label: name || 'Unnamed agent' }));
  const isDeleted = chosen.error !== null && asProblem(chosen.error).status === 404;
  if (isDeleted && !isListed && !chosen.data) options.unshift({ value, label: 'A deleted agent' });
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={options}
      value={value === '' ? null : value}
      onChange={(agentId) => {
        setText('');
        onChange(agentId ?? '');
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Any agent' }}
      onSearchChange={(typed) => setText(options.some((option) => option.label === typed) ? '' : typed)}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isPending ? 'Loading…' : 'No agent with this name'}
      w={w}
    />
  );
}
