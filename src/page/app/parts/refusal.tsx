/** The message of a request that failed; nothing if there is none. */
export function Refusal({ message }: { readonly message: string | undefined }) {
  return message === undefined ? null : (
    <p class="failure" role="alert">
      {message}
    </p>
  );
}
