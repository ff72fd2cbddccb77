#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks the headers of Debian's libvalijson-dev into the folder named by the first argument, without
# installing the package (it depends on Qt, poco and a MySQL client, none of which is used).
set -eu
destination=$1
[ -e "$destination/usr/include/valijson/schema.hpp" ] && exit 0
for tool in apt-get dpkg; do
    command -v "$tool" >/dev/null || { echo "$tool is not available" >&2; exit 1; }
done
parent=$(dirname "$destination")
mkdir -p "$parent"
scratch=$(mktemp -d "$parent/valijson.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
if ! apt-get download -q libvalijson-dev >log 2>&1; then
    # A fresh machine has no package lists yet; only root may fetch them.
    apt-get update -q >>log 2>&1 || true
    apt-get download -q libvalijson-dev >>log 2>&1 || { cat log >&2; exit 1; }
fi
dpkg -x libvalijson-dev_*.deb unpacked
mv -T unpacked "$destination" 2>/dev/null || [ -e "$destination/usr/include/valijson/schema.hpp" ]
