import { ActionIcon, Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { XIcon, PlusIcon, WrenchIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { Section } from '../../components/layout.tsx';
import { SETTLED_MS } from '../../components/search-input.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import classes from './agents.module.css';
import { useField } from '../../components/editor/editor.tsx';
import { ToolOverrides } from './tool-overrides.tsx';
import { useTemplate } from './use-template.ts';

type SelectedTool = Schemas['SelectedTool'];

const MAX_SEARCH = 40;

export function ToolsSection() {
  const template = useTemplate();
  const { set, error } = useField('selectedTools');
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState<number | null>(null);
  const [search] = useDebouncedValue(typed.trim().slice(0, MAX_SEARCH), SETTLED_MS);
  const tools = useQuery({
    queryKey: ['tools', 'choices', search],
    queryFn: () =>
      dataOf(
        api.GET('/api/tools', {
          params: { query: { pageSize: 100, sortOrder: 'display', ...(search && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const selected = template.selectedTools ?? [];
  const known = new Map((tools.data?.results ?? []).map((tool) => [tool.toolId, tool]));
  const definitionOf = ({ toolId, toolName, temporaryTool }: SelectedTool) =>
    temporaryTool ??
    [...known.values()].find((tool) => tool.toolId === toolId || tool.name === toolName)?.definition;
  const choices = [...known.values()].filter(
    ({ toolId, name }) => !selected.some((tool) => tool.toolId === toolId || tool.toolName === name),
  );
  const add = (toolId: string | null): void => {
    const tool = toolId === null ? undefined : known.get(toolId);
    if (!tool) return;
    // Public tools are selected by name, because the names are the same in every installation.
    set([...selected, tool.ownership === 'public' ? { toolName: tool.name } : { toolId: tool.toolId }]);
    setTyped('');
  };
  return (
    <Section title="Tools" description="What the agent can do besides talking.">
      <Stack gap="sm">
        {selected.length > 0 && (
          <ul className={classes.tools}>
            {selected.map((tool, index) => (
              <li key={index}>
                <div className={classes.tool}>
                  <WrenchIcon size={16} className={classes.icon} />
                  <ToolName tool={tool} nameOf={(toolId) => known.get(toolId)?.name} />
                  <Button
                    ml="auto"
                    flex="none"
                    size="compact-sm"
                    variant="subtle"
                    color="gray"
                    aria-expanded={open === index}
                    onClick={() => setOpen(open === index ? null : index)}
                  >
                    Overrides
                  </Button>
                  <ActionIcon
                    aria-label={`Remove the tool ${wordsOf(tool)}`}
                    onClick={() => {
                      setOpen(null);
                      set(selected.filter((_, other) => other !== index));
                    }}
                  >
                    <XIcon size={16} />
                  </ActionIcon>
                </div>
                {open === index && <ToolOverrides at={index} definition={definitionOf(tool)} />}
                {(definitionOf(tool)?.mcp ?? tool.allowedTools) && <AllowedTools at={index} />}
              </li>
            ))}
          </ul>
        )}
        <Select
          aria-label="Add a tool"
          placeholder="Add a tool…"
          leftSection={<PlusIcon size={16} />}
          data={choices.map(({ toolId, name, ownership }) => ({
            value: toolId,
            label: ownership === 'public' ? `${name} · built in` : name,
          }))}
          value={null}
          onChange={add}
          searchable
          searchValue={typed}
          onSearchChange={setTyped}
          filter={({ options }) => options}
          nothingFoundMessage="No tool found"
          error={error}
          maw={{ sm: 360 }}
        />
        <Text c="dimmed" fz="xs">
          Tools of this agent only are defined in the JSON view.
        </Text>
      </Stack>
    </Section>
  );
}

function ToolName({ tool, nameOf }: { tool: SelectedTool; nameOf: (toolId: string) => string | undefined }) {
  const name = (tool.toolId && nameOf(tool.toolId)) || wordsOf(tool);
  return (
    <Group gap={6} miw={0}>
      <Text span fw={550} truncate>
        {name}
      </Text>
      {tool.temporaryTool && <StatusBadge tone="neutral">Only this agent</StatusBadge>}
      {tool.nameOverride && (
        <Text span fz="xs" c="dimmed">
          as {tool.nameOverride}
        </Text>
      )}
    </Group>
  );
}

/** The tools of an MCP server that the model may call. */
function AllowedTools({ at }: { at: number }) {
  const { value, set, error } = useField(`selectedTools.${at}.allowedTools`);
  const names = Array.isArray(value) ? value.map(String) : [];
  return (
    <TagsInput
      label="Allowed tools of the server"
      description="Names of the tools on the server. Leave empty to allow all tools."
      placeholder={names.length === 0 ? 'find_order' : ''}
      value={names}
      onChange={(changed) => set(changed.length === 0 ? undefined : changed)}
      acceptValueOnBlur
      error={error}
      px="sm"
      pb="sm"
    />
  );
}

function wordsOf({ toolName, toolId, temporaryTool }: SelectedTool): string {
  return toolName ?? temporaryTool?.modelToolName ?? toolId ?? 'tool';
}
