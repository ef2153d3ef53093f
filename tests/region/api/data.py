"""Linkset data."""

from __future__ import annotations

import re

from ..data import LIMIT_BYTES
from ..definitions import LSL
from .base import Base


class DataApi(Base):
    def _changed(self, code: int, action: int, name: str, value: str) -> int:
        if code == LSL.LINKSETDATA_OK:
            self.linkset.post("linkset_data", action, name, value)
        return code

    def _write(self, name: str, value: str, phrase: str) -> int:
        if value == "":
            return self._delete(name, phrase)
        code = self.linkset.data.write(name, value, phrase)
        shown = "" if phrase else value
        return self._changed(code, LSL.LINKSETDATA_UPDATE, name, shown)

    def _delete(self, name: str, phrase: str) -> int:
        code = self.linkset.data.delete(name, phrase)
        return self._changed(code, LSL.LINKSETDATA_DELETE, name, "")

    def llLinksetDataWrite(self, name: str, value: str) -> int:
        return self._write(name, value, "")

    def llLinksetDataWriteProtected(self, name: str, value: str, phrase: str) -> int:
        return self._write(name, value, phrase)

    def llLinksetDataRead(self, name: str) -> str:
        return self.linkset.data.read(name)

    def llLinksetDataReadProtected(self, name: str, phrase: str) -> str:
        return self.linkset.data.read(name, phrase)

    def llLinksetDataDelete(self, name: str) -> int:
        return self._delete(name, "")

    def llLinksetDataDeleteProtected(self, name: str, phrase: str) -> int:
        return self._delete(name, phrase)

    def llLinksetDataReset(self) -> None:
        self.linkset.data.pairs.clear()
        self.linkset.post("linkset_data", LSL.LINKSETDATA_RESET, "", "")

    def llLinksetDataAvailable(self) -> int:
        return LIMIT_BYTES - self.linkset.data.used_bytes

    def llLinksetDataCountKeys(self) -> int:
        return len(self.linkset.data.pairs)

    def llLinksetDataListKeys(self, start: int, count: int) -> list[str]:
        keys = self.linkset.data.names()[max(start, 0) :]
        return keys[:count] if count > 0 else keys

    def _found(self, pattern: str) -> list[str]:
        return [key for key in self.linkset.data.names() if re.search(pattern, key)]

    def llLinksetDataFindKeys(self, pattern: str, start: int, count: int) -> list[str]:
        keys = self._found(pattern)[max(start, 0) :]
        return keys[:count] if count > 0 else keys

    def llLinksetDataCountFound(self, pattern: str) -> int:
        return len(self._found(pattern))

    def llLinksetDataDeleteFound(self, pattern: str, phrase: str) -> list[int]:
        gone, kept = [], 0
        for key in self._found(pattern):
            if self.linkset.data.delete(key, phrase) == LSL.LINKSETDATA_OK:
                gone.append(key)
            else:
                kept += 1
        if gone:
            names = ",".join(gone)
            self.linkset.post("linkset_data", LSL.LINKSETDATA_MULTIDELETE, names, "")
        return [len(gone), kept]
