import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asProblem } from '../api/client.ts';
import { SETTLED_MS } from './search-input.tsx';

/** Number of listed resources. */
export const SHOWN_NAMES = 50;

/** Selects a resource of the account by name, or none (''). */
export function NameSelect<Resource extends { name: string }>(
  props: Pick<SelectProps, 'label' | 'aria-label' | 'placeholder' | 'error' | 'disabled' | 'w'> & {
    /** In query keys and texts: `agent`. */
    kind: string;
    value: string;
    onChange: (id: string) => void;
    idOf: (resource: Resource) => string;
    get: (id: string) => Promise<Resource>;
    /** Lists the resources whose names match; all for ''. */
    find: (search: string) => Promise<readonly Resource[]>;
  },
) {
  const { kind, value, onChange, idOf, get, find, ...rest } = props;
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), SETTLED_MS);
  const found = useQuery({
    queryKey: [`${kind}s`, 'names', search],
    queryFn: () => find(search),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({ queryKey: [kind, value], queryFn: () => get(value), enabled: value !== '' });
  const resources = [...(found.data ?? [])];
  const isListed = resources.some((resource) => idOf(resource) === value);
  if (chosen.data && !isListed) resources.unshift(chosen.data);
  const options = resources.map((resource) => ({
    value: idOf(resource),
    label: resource.name || `Unnamed ${kind}`,
  }));
  if (chosen.error && !isListed && !chosen.data) {
    const isDeleted = asProblem(chosen.error).status === 404;
    options.unshift({ value, label: isDeleted ? `A deleted ${kind}` : `This ${kind} could not be loaded` });
  }
  return (
    <Select
      {...rest}
      data={options}
      value={value === '' ? null : value}
      onChange={(id) => {
        setText('');
        onChange(id ?? '');
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear the ${kind}` }}
      onSearchChange={(typed) => setText(options.some(({ label }) => label === typed) ? '' : typed)}
      filter={({ options: all }) => all}
      onDropdownOpen={() => {
        if (found.isError) void found.refetch();
      }}
      nothingFoundMessage={
        found.isPending
          ? 'Loading…'
          : found.error
            ? asProblem(found.error).message
            : `No ${kind} with this name`
      }
    />
  );
}
