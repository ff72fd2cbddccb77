# SPDX-License-Identifier: Apache-2.0
# `make help` lists what there is. Everything that is fetched or built once is kept in the user's cache
# folder, so that a second clone on the same machine is ready in a minute; `make clean-cache` empties it.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

JOBS ?= 2
PYTHON ?= python3.11
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tileport
UV := $(CACHE)/uv/bin/uv
VENV_PYTHON := .venv/bin/python
DEMO_DIR := build/demo
# The one CMake folder of this clone: the library is compiled once for the extension and for the C++ tests,
# with assertions, which a user's `pip install .` does not have.
CMAKE_DIR := build/python
DEVELOPMENT_BUILD := -C build-dir=$(CMAKE_DIR) \
    -C cmake.build-type=Debug -C "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \
    -C cmake.define.TILEPORT_WERROR=ON -C cmake.define.TILEPORT_FMT_HEADER_ONLY=OFF \
    -C cmake.define.TILEPORT_BUILD_TESTS=ON -C install.strip=false

hash = $(shell ( $(1) ) | sha256sum | cut -c1-12)

# Rust needs CUDA headers and libclang. They come from the same locked wheels as the environment's, but into a
# folder that is the same for every clone: cargo rebuilds whatever saw a different CUDA_TOOLKIT_PATH.
RUST_WHEELS := nvidia-cuda-runtime nvidia-cuda-crt nvidia-curand libclang
rust_wheels_lock = awk -v names=' $(RUST_WHEELS) ' \
    '/^[^ ]/ { split($$1, part, "=="); keep = index(names, " " part[1] " ") } keep' requirements.lock
RUST_HEADERS := $(CACHE)/cuda-headers
RUST_HEADERS_OK := $(RUST_HEADERS)/.ok-$(call hash,$(rust_wheels_lock))
LINT := $(CACHE)/lint-$(call hash,cat requirements-lint.lock)
# A shared cargo target folder is not safe for several clones; a copy of one is.
rust_manifests = rust/Cargo.lock rust/.cargo/config.toml \
    $$(find rust -name target -prune -o -name Cargo.toml -print | sort)
TARGET_SEED := $(CACHE)/cargo-target-$(call hash,cat $(rust_manifests); rustc -V 2>&1;echo $(RUST_HEADERS_OK))

export UV_CACHE_DIR := $(CACHE)/wheels
export UV_SYSTEM_CERTS ?= 1
export CUDA_TOOLKIT_PATH := $(RUST_HEADERS)/nvidia/cu13
export LIBCLANG_PATH := $(RUST_HEADERS)/clang/native
export BINDGEN_EXTRA_CLANG_ARGS = -isystem $(shell gcc -print-file-name=include 2>/dev/null)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_MAXSIZE := 2G
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CMAKE_CXX_COMPILER_LAUNCHER := ccache
export CMAKE_GENERATOR := Ninja
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CARGO_BUILD_JOBS := $(JOBS)

# Where conversions let cargo check generated crates; clippy needs the same compiled dependencies.
CRATES_DIR = $(shell $(VENV_PYTHON) -c \
    'from tileport.toolchain.check import shared_target_folder as f; print(f())')

CPP_FILES := $(shell find src include bindings tests/cpp tests/fuzz benchmarks python examples -name '*.[ch]pp' -o -name '*.h')
EXTENSION_INPUTS := CMakeLists.txt pyproject.toml $(shell find cmake src/contract/schemas -type f) \
    $(filter-out tests/% benchmarks/% examples/%,$(CPP_FILES))
RUST_INPUTS := $(shell find rust -name target -prune -o -type f -print)

##@ Everyday
.PHONY: setup
setup: build/.system .venv/.ok build/.extension build/.rust build/.crates ## all that conversion needs

.PHONY: demo
demo: setup ## convert softmax and prove the port, with no GPU
	.venv/bin/tileport convert softmax --out $(DEMO_DIR)
	@echo "port: $(CURDIR)/$(DEMO_DIR)/softmax/kernel.rs"

.PHONY: test
test: setup ## linters, then the C++, Python and Rust tests and a short fuzzing
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -k test-cpp test-python test-rust test-fuzz

.PHONY: test-full
test-full: export TILEPORT_FULL := 1
test-full: test ## the same, with the long tests too

.PHONY: bench
bench: setup ## where the time of a conversion goes
	$(VENV_PYTHON) benchmarks/convert.py

.PHONY: clean
clean: ## remove what was built in this clone
	rm -rf build rust/target .venv

.PHONY: clean-cache
clean-cache: ## remove tileport's folder in the user's cache: wheels, compilers' caches, cubins
	rm -rf $(CACHE)

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Parts
.PHONY: test-cpp test-python test-rust test-fuzz
test-cpp: build/.extension ## C++ tests only
	cmake --build $(CMAKE_DIR) --target tileport_tests -j $(JOBS)
	ctest --test-dir $(CMAKE_DIR) --output-on-failure -j $(JOBS) --no-tests=error

test-python: setup ## Python tests only
	$(VENV_PYTHON) -m pytest tests/python

test-rust: build/.rust ## Rust tests only
	cd rust && cargo test --locked --quiet

# Inputs for each target. The same binary goes on from the corpus that earlier runs left in build/fuzz.
FUZZ_RUNS ?= $(if $(TILEPORT_FULL),3500000,30000)
test-fuzz: build/.fuzz ## fuzz everything that reads, under sanitizers (FUZZ_RUNS inputs a target)
	@cmake -S tests/fuzz -B build/fuzz -DCMAKE_CXX_COMPILER=clang++-19 >build/fuzz.log || { cat build/fuzz.log; exit 1; }
	cmake --build build/fuzz -j $(JOBS)
	tests/fuzz/run.sh build/fuzz $(FUZZ_RUNS)

.PHONY: lint
lint: build/.extension $(RUST_HEADERS_OK) $(LINT)/.ok ## all linters and format checks
	@$(LINT)/bin/clang-format --dry-run -Werror $(CPP_FILES)
	@echo "clang-format: $(words $(CPP_FILES)) files are formatted"
	@$(LINT)/bin/ruff format --check .
	@$(LINT)/bin/ruff check .
	@$(LINT)/bin/mypy --python-executable $(VENV_PYTHON) python/tileport
	@$(MAKE) --no-print-directory tidy
	@cd rust && cargo fmt --all --check
	@cd rust && cargo clippy --locked --quiet --all-targets --target-dir "$(CRATES_DIR)" -- -D warnings
	@echo "cargo fmt and clippy: clean"

.PHONY: format
format: $(LINT)/.ok ## apply the formatters
	$(LINT)/bin/clang-format -i $(CPP_FILES)
	$(LINT)/bin/ruff format .
	$(LINT)/bin/ruff check --fix .
	cd rust && cargo fmt --all

# clang-tidy takes seconds a file: one stamp a file, made anew when the file, a header or the rules change.
TIDY_FILES := $(filter src/%.cpp,$(CPP_FILES))
TIDY_STAMPS := $(TIDY_FILES:%=build/tidy/%.ok)
.PHONY: tidy
tidy: build/.extension ## clang-tidy on the library
	@$(MAKE) --no-print-directory -j $(JOBS) $(TIDY_STAMPS)
	@echo "clang-tidy: $(words $(TIDY_FILES)) files are clean"
build/tidy/%.ok: % .clang-tidy $(filter %.hpp %.h,$(CPP_FILES)) | $(LINT)/.ok
	@mkdir -p $(@D)
	@$(LINT)/bin/clang-tidy --quiet -p $(CMAKE_DIR) $< 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

.PHONY: lock
lock: $(UV) ## resolve pyproject.toml and requirements-lint.in again
	$(COMPILE_LOCK) --all-extras pyproject.toml -o requirements.lock
	$(COMPILE_LOCK) requirements-lint.in -o requirements-lint.lock
COMPILE_LOCK := $(UV) pip compile -q --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
    --no-annotate

# ---- how each part is made ------------------------------------------------------------------------------
build/.system: cmake/install_system_packages.sh
	@mkdir -p build
	@PYTHON=$(PYTHON) bash cmake/install_system_packages.sh
	@sh cmake/unpack_valijson.sh $(CACHE)/valijson
	@touch $@

build/.fuzz: build/.system
	@PYTHON=$(PYTHON) bash cmake/install_system_packages.sh fuzz
	@touch $@

$(UV): | build/.system
	@echo "Fetching uv, which installs the Python packages ..."
	@$(PYTHON) -m pip install -q --disable-pip-version-check --no-warn-script-location \
	    --prefix $(CACHE)/uv 'uv==0.13.9'

.venv/.ok: requirements.lock | $(UV)
	@echo "Python environment .venv: PyTorch with its CUDA libraries is about 6 GB installed; it is fetched"
	@echo "once per machine (about 3 GB over the network) and kept in $(CACHE)/wheels."
	@$(UV) venv -q --allow-existing --python $(PYTHON) .venv
	@$(UV) pip sync --python $(VENV_PYTHON) --require-hashes requirements.lock
	@touch $@

build/.extension: .venv/.ok $(EXTENSION_INPUTS) | build/.system
	@echo "Building the C++ core and its Python module ..."
	@$(UV) pip install -q --python $(VENV_PYTHON) --no-deps --no-build-isolation $(DEVELOPMENT_BUILD) -e .
	@touch $@

$(RUST_HEADERS_OK): | $(UV)
	@echo "Fetching CUDA headers and libclang for Rust (about 150 MB) ..."
	@$(rust_wheels_lock) > build/rust-wheels.lock
	@$(UV) pip install -q --no-deps --require-hashes --python $(PYTHON) --target $(RUST_HEADERS) \
	    -r build/rust-wheels.lock
	@touch $@

build/.rust: $(RUST_HEADERS_OK) $(RUST_INPUTS) | build/.system
	@if [ ! -d rust/target ] && [ -d $(TARGET_SEED) ]; then cp -a $(TARGET_SEED) rust/target; fi
	@echo "Building tileport-check (Rust; about two minutes the first time) ..."
	cd rust && cargo build --locked
	@if [ ! -d $(TARGET_SEED) ]; then \
	    rm -rf $(CACHE)/cargo-target-*; \
	    cp -a rust/target $(TARGET_SEED).$$$$ && mv -T $(TARGET_SEED).$$$$ $(TARGET_SEED); fi
	@touch $@

build/.crates: build/.rust | build/.extension
	@echo "Compiling what checking a converted crate needs (about a minute, once a machine) ..."
	@$(VENV_PYTHON) -m tileport.toolchain.crates
	@touch $@

$(LINT)/.ok: requirements-lint.lock | $(UV)
	@echo "Fetching the linters (about 60 MB) ..."
	@$(UV) venv -q --allow-existing --python $(PYTHON) $(LINT)
	@$(UV) pip sync -q --python $(LINT)/bin/python --require-hashes requirements-lint.lock
	@touch $@
