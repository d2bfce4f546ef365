import { Button, Group, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ChevronDownIcon } from 'lucide-react';
import { AgentSelect } from '../../components/agent-select.tsx';
import { DayInput } from '../../components/day-input.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Toolbar } from '../../components/layout.tsx';
import { END_REASONS, type EndReason } from './call-labels.ts';
import {
  DAY_PERIODS,
  hiddenFilterCount,
  metadataPair,
  NO_FILTERS,
  OUTCOMES,
  PERIODS,
  SORTS,
  type AnalysisOutcome,
  type CallFilters,
  type CallSort,
  type Period,
} from './call-filters.ts';

/** Two columns on narrow screens. */
const HALF_OR = (xs: number) => ({ base: 'calc(50% - 0.375rem)', xs });
const periodOptions = Object.entries({ ...PERIODS, ...DAY_PERIODS }).map(([value, label]) => ({
  value,
  label,
}));
const sortOptions = Object.entries(SORTS).map(([value, label]) => ({ value, label }));

const outcomeOptions = Object.entries(OUTCOMES).map(([value, label]) => ({ value, label }));
const endOptions = Object.entries(END_REASONS).map(([value, { words }]) => ({ value, label: words }));

interface FilterProps {
  filters: CallFilters;
  /** Called with the changed filters only. */
  onChange: (changed: Partial<CallFilters>) => void;
}

/** Filters of a list of calls. `isDeleted`: hides the choice of the order, which deleted calls do not support. */
export function CallFilterBar({
  filters,
  onChange,
  isDeleted = false,
}: FilterProps & { isDeleted?: boolean }) {
  return (
    <Toolbar>
      <SearchInput
        label={isDeleted ? 'Search agent names' : 'Search calls'}
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      <AgentSelect
        label="Any agent"
        value={filters.agentId}
        onChange={(agentId) => onChange({ agentId })}
        w={HALF_OR(160)}
      />
      <Select
        aria-label="Period"
        data={periodOptions}
        value={filters.period}
        onChange={(period) => onChange({ period: (period ?? 'all') as Period })}
        allowDeselect={false}
        w={HALF_OR(150)}
      />
      {filters.period in DAY_PERIODS && <DayRange filters={filters} onChange={onChange} />}
      <MoreFilters filters={filters} onChange={onChange} />
      {!isDeleted && (
        <Select
          aria-label="Order"
          data={sortOptions}
          value={filters.sort}
          onChange={(sort) => onChange({ sort: (sort ?? NO_FILTERS.sort) as CallSort })}
          allowDeselect={false}
          ml={{ base: 0, md: 'auto' }}
          w={HALF_OR(165)}
        />
      )}
    </Toolbar>
  );
}

function DayRange({ filters, onChange }: FilterProps) {
  return (
    <Group gap="xs" wrap="nowrap" grow w={{ base: '100%', xs: 'auto' }}>
      <DayInput
        label="From"
        value={filters.fromDay}
        max={filters.toDay}
        onChange={(fromDay) => onChange({ fromDay })}
      />
      <DayInput
        label="To"
        value={filters.toDay}
        min={filters.fromDay}
        onChange={(toDay) => onChange({ toDay })}
      />
    </Group>
  );
}

function MoreFilters({ filters, onChange }: FilterProps) {
  const [isOpen, setIsOpen] = useState(false);
  const count = hiddenFilterCount(filters);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={280} trapFocus withArrow>
      <Popover.Target>
        <Button
          variant="default"
          onClick={() => setIsOpen(!isOpen)}
          rightSection={<ChevronDownIcon size={15} />}
          w={HALF_OR(145)}
          fw={count > 0 ? 600 : 450}
        >
          {count > 0 ? `More filters (${count})` : 'More filters'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Fields
          filters={filters}
          onChange={(changed) => {
            onChange(changed);
            setIsOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Fields({ filters, onChange }: FilterProps) {
  const [minSeconds, setMinSeconds] = useState(filters.minSeconds);
  const [maxSeconds, setMaxSeconds] = useState(filters.maxSeconds);
  const [endReason, setEndReason] = useState(filters.endReason);
  const [analysisOutcome, setAnalysisOutcome] = useState(filters.analysisOutcome);
  const [metadata, setMetadata] = useState(filters.metadata);
  const isPair = metadata.trim() === '' || metadataPair(metadata) !== null;
  const apply = (): void => {
    if (isPair) onChange({ minSeconds, maxSeconds, endReason, analysisOutcome, metadata: metadata.trim() });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Stack gap="sm">
        <Group grow gap="xs">
          <TextInput
            type="number"
            min={0}
            step="any"
            label="At least (s)"
            value={minSeconds}
            onChange={(event) => setMinSeconds(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            type="number"
            min={0}
            step="any"
            label="At most (s)"
            value={maxSeconds}
            onChange={(event) => setMaxSeconds(event.currentTarget.value)}
          />
        </Group>
        <Select
          label="End reason"
          placeholder="Any, including live calls"
          data={endOptions}
          value={endReason || null}
          onChange={(reason) => setEndReason((reason ?? '') as EndReason | '')}
          clearable
          // Prevents the popover from closing on a click in the dropdown.
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label="Analysis"
          placeholder="Any outcome, or none"
          data={outcomeOptions}
          value={analysisOutcome || null}
          onChange={(outcome) => setAnalysisOutcome((outcome ?? '') as AnalysisOutcome | '')}
          clearable
          comboboxProps={{ withinPortal: false }}
        />
        <TextInput
          label="Metadata"
          placeholder="room=12"
          value={metadata}
          error={!isPair && 'A key and its value: room=12'}
          onChange={(event) => setMetadata(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            size="xs"
            onClick={() =>
              onChange({ minSeconds: '', maxSeconds: '', endReason: '', analysisOutcome: '', metadata: '' })
            }
          >
            Clear
          </Button>
          <Button type="submit" size="xs">
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
