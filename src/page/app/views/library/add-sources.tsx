import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { session } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { AddSource } from './add-source.tsx';
import { SourceForm, skipsCheck } from './source-form.tsx';
import { addSource, loadAllowedFolders, type NewSource, readAddress } from './sources-data.ts';
import { addToLibrary } from './uploads.ts';

interface AddSourcesProps {
  /** The shown collection, to which the documents are added. */
  readonly collection: string | undefined;
  readonly onAdded: () => void;
}

/** Buttons for documents that are not uploaded: web pages, folders of the server, and other sources. */
export function AddSources(props: AddSourcesProps) {
  const [open, setOpen] = useState<'address' | 'folder' | 'source'>();
  const close = () => setOpen(undefined);
  const { value: who } = session;
  return (
    <>
      <button type="button" onClick={() => setOpen('address')}>
        {texts.library.addAddress}
      </button>
      {who.kind === 'signed_in' && who.user.is_superuser && (
        <button type="button" onClick={() => setOpen('folder')}>
          {texts.library.watchFolder}
        </button>
      )}
      <button type="button" onClick={() => setOpen('source')}>
        {texts.sources.add}
      </button>
      {open === 'address' && <AddAddress {...props} onClose={close} />}
      {open === 'folder' && <WatchFolder {...props} onClose={close} />}
      {open === 'source' && <AddSource {...props} onClose={close} />}
    </>
  );
}

type DialogProps = AddSourcesProps & { readonly onClose: () => void };
const scopes = ['onePage', 'crawl', 'sitemap'] as const;

function AddAddress({ collection, onAdded, onClose }: DialogProps) {
  const [scope, setScope] = useState<(typeof scopes)[number]>('onePage');
  const { failure, canSkipCheck, setFailure, attempt } = useAttempt();
  const submit = async (fields: FormData) => {
    const url = readAddress(String(fields.get('url') ?? ''));
    if (url === undefined) return setFailure(texts.library.badAddress);
    if (scope === 'onePage') {
      addToLibrary([{ file: new File([], url), folder: '', url }]);
      return onClose();
    }
    await attempt(async () => {
      await addSource(
        {
          kind: 'site',
          url,
          sitemap: scope === 'sitemap',
          max_pages: Number(fields.get('max_pages')),
          crawl_depth: Number(fields.get('depth') ?? 1),
          check: !skipsCheck(fields),
        },
        collection,
      );
      onAdded();
      onClose();
    });
  };
  const skip = canSkipCheck && scope !== 'onePage' ? texts.sources.addAnyway : undefined;
  return (
    <Dialog title={texts.library.addAddress} onClose={onClose}>
      <SourceForm submit={submit} failure={failure} action={texts.library.add} skip={skip}>
        <label>
          {texts.library.address}
          <input name="url" type="text" inputMode="url" required placeholder={texts.library.addressExample} />
        </label>
        <fieldset class="choices">
          <legend>{texts.library.pages}</legend>
          {scopes.map((each) => (
            <label key={each} class="check">
              <input type="radio" name="scope" checked={scope === each} onChange={() => setScope(each)} />
              {texts.library[each]}
            </label>
          ))}
        </fieldset>
        {scope === 'crawl' && (
          <label>
            {texts.library.depth}
            <input name="depth" type="number" min={1} max={10} defaultValue="1" required />
          </label>
        )}
        {scope !== 'onePage' && (
          <label>
            {texts.library.maxPages}
            <input name="max_pages" type="number" min={1} max={10_000} defaultValue="500" required />
          </label>
        )}
        <p class="notice">{texts.library.addressNote}</p>
      </SourceForm>
    </Dialog>
  );
}

function WatchFolder({ collection, onAdded, onClose }: DialogProps) {
  const allowed = useResource(loadAllowedFolders, []);
  const { failure, attempt } = useAttempt();
  const submit = (fields: FormData) => {
    const source: NewSource = {
      kind: 'folder',
      path: String(fields.get('path') ?? '').trim(),
      keep_deleted: fields.get('keep_deleted') !== null,
    };
    return attempt(async () => {
      await addSource(source, collection);
      onAdded();
      onClose();
    });
  };
  return (
    <Dialog title={texts.library.watchFolder} onClose={onClose}>
      {allowed.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {allowed.kind === 'failed' && <Failure error={allowed.error} retry={allowed.reload} />}
      {allowed.kind === 'loaded' && allowed.value.length === 0 && (
        <>
          <p>{texts.library.noneAllowed}</p>
          <pre class="snippet">{texts.library.noneAllowedLine}</pre>
          <CopyButton text={texts.library.noneAllowedLine} />
        </>
      )}
      {allowed.kind === 'loaded' && allowed.value.length > 0 && (
        <SourceForm submit={submit} failure={failure} action={texts.library.watch}>
          <label>
            {texts.library.path}
            <input name="path" required maxLength={4000} spellcheck={false} defaultValue={allowed.value[0]} />
          </label>
          <p class="notice">{texts.library.allowed(allowed.value)}</p>
          <label class="check">
            <input type="checkbox" name="keep_deleted" />
            {texts.library.keepDeleted}
          </label>
        </SourceForm>
      )}
    </Dialog>
  );
}
