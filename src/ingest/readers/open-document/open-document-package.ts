import { openZipPackage, type PackageSource, type ZipPackage } from '../containers/zip-package.ts';

/** Opens an OpenDocument file: an archive, or one XML file that holds all parts (`fodt`, `fods`, `fodp`). */
export function openDocumentPackage(source: PackageSource): ZipPackage {
  const { bytes } = source;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 2_000)).toString('latin1');
  if (!/^\W{0,3}<(?:\?xml|office:document)\b/.test(head)) return openZipPackage(source);
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isPart = (name: string) => name === 'content.xml' || name === 'meta.xml';
  return {
    names: ['content.xml', 'meta.xml'],
    text: (name) => (isPart(name) ? whole.toString('utf8').replace(/^\ufeff/, '') : undefined),
    async *stream(name) {
      if (isPart(name)) yield whole;
    },
  };
}
