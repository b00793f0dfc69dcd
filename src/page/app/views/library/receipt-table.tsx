import { texts } from '../../texts.ts';
import type { Receipt } from './library-data.ts';

/** What a deletion removed, and whether later searches confirmed that. */
export function ReceiptTable({ receipt }: { readonly receipt: Receipt }) {
  const { verified } = receipt;
  const rows = (Object.keys(texts.library.receiptRows) as (keyof typeof texts.library.receiptRows)[]).flatMap(
    (name) => {
      const count = receipt[name];
      return count === undefined || (count === 0 && name !== 'documents') ? [] : [{ name, count }];
    },
  );
  return (
    <>
      <table class="receipt">
        <tbody>
          {rows.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{texts.library.receiptRows[name]}</th>
              <td>{count.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class={verified === true ? 'receipt-verified' : 'receipt-open'}>{verificationText(receipt)}</p>
    </>
  );
}

function verificationText({ verified, index }: Receipt): string {
  if (verified === true) return texts.library.verified;
  if (verified === 'pending' || index?.state === 'pending') return texts.library.verifiedLater;
  return verified === false ? texts.library.notVerified : texts.library.unverified;
}
