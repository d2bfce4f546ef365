import { FileInput, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { dataOf, api, asProblem } from '../../api/client.ts';
import { bytesText } from '../../components/bytes-text.ts';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { ErrorState } from '../../components/states.tsx';
import { ACCEPTED_FILES } from './corpus-labels.ts';
import { uploadFile } from './upload-file.ts';

interface UploadFormProps {
  corpusId: string;
  onClose: () => void;
  onSaved: () => void;
}

/** State of a file: the part that is sent (0 to 1), the id of its document, or the reason of a failure. */
interface Upload {
  part: number;
  documentId?: string;
  failure?: string;
}

export function UploadDrawer({ opened, ...form }: UploadFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title="Upload files">
      <UploadForm {...form} />
    </SideDrawer>
  );
}

/**
 * Uploads files one after the other, then adds a source with them. A second attempt sends only the files that failed.
 */
function UploadForm({ corpusId, onClose, onSaved }: UploadFormProps) {
  const [files, setFiles] = useState<File[]>([]);
  const [name, setName] = useState('');
  const [uploads, setUploads] = useState<ReadonlyMap<File, Upload>>(new Map());
  const set = (file: File, upload: Upload): void =>
    setUploads((before) => new Map([...before, [file, upload]]));
  const save = useMutation({
    mutationFn: async () => {
      const documentIds: string[] = [];
      for (const file of files) {
        const documentId =
          uploads.get(file)?.documentId ??
          (await uploadFile(corpusId, file, (part) => set(file, { part })).catch((thrown: unknown) => {
            set(file, { part: 0, failure: asProblem(thrown).message });
          }));
        if (documentId === undefined) continue;
        documentIds.push(documentId);
        set(file, { part: 1, documentId });
      }
      if (documentIds.length < files.length)
        throw new Error('Not all files were uploaded. Remove or retry them.');
      await dataOf(
        api.POST('/api/corpora/{corpus_id}/sources', {
          params: { path: { corpus_id: corpusId } },
          body: { name: name.trim() || nameOf(files), upload: { documentIds } },
        }),
      );
    },
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const issues = useFormIssues(save.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FileInput
          label="Files"
          description="Text, Markdown, HTML, CSV, PDF and DOCX, at most 10 MiB each."
          placeholder="Choose files"
          accept={ACCEPTED_FILES}
          multiple
          value={files}
          onChange={setFiles}
          error={issues.at('upload')}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the files' }}
          disabled={save.isPending}
          data-autofocus
        />
        {files.map((file) => (
          <UploadState key={`${file.name} ${file.size}`} file={file} upload={uploads.get(file)} />
        ))}
        <TextInput
          label="Name"
          description="Leave empty to use the name of the file."
          value={name}
          maxLength={128}
          onChange={(event) => setName(event.currentTarget.value)}
          error={issues.at('name')}
        />
        {save.error && issues.all.length === 0 && <ErrorState error={save.error} />}
        <FormActions
          submitLabel={save.error ? 'Try again' : 'Upload'}
          isSending={save.isPending}
          isDisabled={files.length === 0}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function UploadState({ file, upload }: { file: File; upload: Upload | undefined }) {
  const { part = 0, failure } = upload ?? {};
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" fz="sm">
        <Text span inherit truncate>
          {file.name}
        </Text>
        <Text span inherit c="dimmed" className="numbers" style={{ flex: 'none' }}>
          {upload ? `${Math.round(part * 100)} %` : bytesText(file.size)}
        </Text>
      </Group>
      {upload && <Progress value={part * 100} aria-label={`Upload of ${file.name}`} mt={4} />}
      {failure !== undefined && (
        <Text c="var(--mantine-color-error)" fz="sm" role="alert">
          {failure}
        </Text>
      )}
    </div>
  );
}

function nameOf([first, ...others]: readonly File[]): string {
  if (!first) return '';
  return others.length === 0 ? first.name.slice(0, 128) : `${others.length + 1} files`;
}
