import { FileInput, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { fetchJson } from '../../api/client.ts';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { ErrorState } from '../../components/states.tsx';
import type { Tool } from './tool-labels.ts';

interface OpenApiFormProps {
  onClose: () => void;
  onCreated: (tool: Tool) => void;
}

/** Creates a tool from an OpenAPI document. */
export function OpenApiDrawer({ opened, ...form }: OpenApiFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title="Create a tool from OpenAPI">
      <OpenApiForm {...form} />
    </SideDrawer>
  );
}

function OpenApiForm({ onClose, onCreated }: OpenApiFormProps) {
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: async (document: Blob) => {
      const body = new FormData();
      body.set('file', document, 'openapi');
      return (await fetchJson('/api/tools', { method: 'POST', body })) as Tool;
    },
    onSuccess: (tool) => {
      queries.setQueryData(['tool', tool.toolId], tool);
      void queries.invalidateQueries({ queryKey: ['tools'] });
      onClose();
      onCreated(tool);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate(file ?? new Blob([text]));
  };
  const issues = useFormIssues(create.error);
  // The issues of the document or of the tool that it describes.
  const error =
    issues.at('file') ??
    (issues.all.map(({ path, message }) => `${path}: ${message}`).join('; ') || undefined);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FileInput
          label="Document"
          description="OpenAPI 3.0 or 3.1 in JSON or YAML, with one operation, at most 1 MiB."
          placeholder="Choose a file"
          accept=".json,.yaml,.yml"
          value={file}
          onChange={setFile}
          error={file && error}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the document' }}
          data-autofocus
        />
        {!file && (
          <Textarea
            label="Or its text"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={error}
            autosize
            minRows={10}
            maxRows={24}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
          />
        )}
        {create.error && issues.all.length === 0 && <ErrorState error={create.error} />}
        <FormActions
          submitLabel="Create tool"
          isSending={create.isPending}
          isDisabled={!file && text.trim() === ''}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
