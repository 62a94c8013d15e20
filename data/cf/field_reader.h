// One variable of one file, read into the common order. Internal to
// ReadCfField (data/cf/field.h).

#ifndef GYRE_DATA_CF_FIELD_READER_H_
#define GYRE_DATA_CF_FIELD_READER_H_

#include <array>
#include <string>
#include <vector>

#include "gyre/data/cf/field.h"
#include "gyre/data/file/masked.h"

namespace gyre::internal::inline data {

class FieldReader {
 public:
  // Both must outlive the reader.
  FieldReader(const ScienceFile& file, const CfRequest& request)
      : file_(file), request_(request) {}

  StatusOr<CfField> Read();

 private:
  template <class... Parts>
  Status Bad(const Parts&... parts) const {
    return DataError(file_.path(), ": variable ", info_->name, ": ", parts...);
  }
  template <class... Parts>
  void Note(const Parts&... parts) {
    field_.notes.push_back(
        Cat(file_.path(), ": ", info_->name, ": ", parts...));
  }

  Status ReadAxes();
  Status PlaceAxis(CfAxis axis, std::size_t dim);
  Status ChooseLevel(const CfAxis& axis, std::size_t dim);
  void KeepTimes(CfAxis* axis) const;
  Status CheckGrid() const;
  Status ChooseUnits();
  void Allocate();
  Status ReadNumbers();
  std::vector<std::vector<std::int64_t>> OffsetsOf(const Block& block) const;
  Status ReadPart(const Block& block);
  void NoteUndeclared(const Block& block, const MaskedBlock& part);

  const ScienceFile& file_;
  const CfRequest& request_;
  const VariableInfo* info_ = nullptr;
  CfField field_;
  UnitConversion conversion_;
  // Of (time, lat, lon): the dimension of the file, or -1 for a single one.
  std::array<int, 3> dims_ = {-1, -1, -1};
  // Of each position in the file, its place in the field; -1: not read.
  std::array<std::vector<std::int64_t>, 3> places_;
  Block whole_;
  std::int64_t undeclared_nan_ = 0;
  std::int64_t first_undeclared_ = 0;  // those of the first part with any
};

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_CF_FIELD_READER_H_
